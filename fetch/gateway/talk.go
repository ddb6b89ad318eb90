package gateway

import (
	"io"
	"net/http"

	"example.org/deref/fetch"
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
	c := traced(o)
	d, err := g.get(r, u, o)
	if err != nil {
		g.failurePage(w, r, u, d, err, c)
		return
	}
	n, err := io.CopyN(io.Discard, d.Body, maxTalk)
	d.Body.Close()
	g.framed(w, r, frame{status: http.StatusOK, object: d.URI, title: "How it is fetched"}, func(p *page) {
		p.put("<p>", render.EscapeHTML(g.client.Schemes.Redact(d.URI)), " was fetched for this page. <a href=\"", render.EscapeHTML(p.at+Path(u)), "\">Show it</a></p>\n")
		switch {
		case err == nil:
			p.put("<p>Only its first ", render.Bytes(n), " were read.</p>\n")
		case err != io.EOF:
			p.put("<p role=\"alert\"><strong>", render.EscapeHTML(string(fetch.KindOf(err))), "</strong>: ", render.EscapeHTML(err.Error()), "</p>\n")
		}
		c.captured(moment(r))
		p.planAndTalk(g.plan(u, o), c)
	})
}

// maxTalk is how much of an object is read so that its end is in the conversation.
const maxTalk = 1 << 20

// conversationPath returns the path of the page about how u is fetched.
func conversationPath(u uri.URI) string { return path(ownPath+"conversation", u) }
