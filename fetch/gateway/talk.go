package gateway

import (
	"io"
	"net/http"

	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// conversationOf serves how u is fetched, without the object: for objects that the gateway passes on unchanged, whose bytes have no room for it,
// and to the end, which a page has not seen when it is written.
func (g *Gateway) conversationOf(w http.ResponseWriter, r *http.Request, u uri.URI) {
	note(r).form = "conversation"
	o, err := g.options(r)
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	d, c, ok := g.fetched(w, r, u, o)
	defer g.openings.keep(c)
	if !ok {
		return
	}
	n, err := io.CopyN(io.Discard, d.Body, maxTalk)
	d.Body.Close()
	g.framed(w, r, frame{status: http.StatusOK, object: d.URI, title: "How it is fetched"}, func(p *page) {
		p.put("<p>%s was fetched for this page. <a href=\"%s\">Show it</a></p>\n", g.client.Schemes.Redact(d.URI), p.at+Path(u))
		switch {
		case err == nil:
			p.put("<p>Only its first %s were read.</p>\n", render.Bytes(n))
		case err != io.EOF:
			p.alert(err)
		}
		c.captured(moment(r))
		p.planAndTalk(g.plan(u, o), c)
	})
}

// maxTalk is how much of an object is read so that its end is in the conversation.
const maxTalk = 1 << 20

// conversationPath returns the path of the page about how u is fetched.
func conversationPath(u uri.URI) string { return path(ownPath+"conversation", u) }
