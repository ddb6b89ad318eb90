package gateway

import (
	"net"
	"net/http"
	"strconv"

	"example.org/deref/fetch"
)

// start serves the start page.
func (g *Gateway) start(w http.ResponseWriter, r *http.Request) {
	g.framed(w, r, frame{status: http.StatusOK, title: "Open any URI"}, func(p *page) {
		p.put("<p>Enter the URI of anything in the field above: a gopher hole, an FTP site, a newsgroup, a directory entry. The name of a host will do.</p>\n")
		if len(g.cfg.Samples) > 0 {
			p.samples()
		}
		at := "http://" + hostOf(r) + "/"
		p.put("<h2>For other programs</h2>\n<p>This is a proxy, too:</p>\n<pre>\nftp_proxy=%s curl ftp://HOST/\ngopher_proxy=%[1]s lynx gopher://HOST/\n",
			at)
		if g.cfg.Scheme != "" {
			p.put("WWW_%s_GATEWAY=%s lynx %[1]s://HOST/\n", g.cfg.Scheme, at)
		}
		p.put("</pre>\n")
	})
}

// hostOf returns the name or address by which a client has reached the gateway.
func hostOf(r *http.Request) string {
	if r.Host != "" {
		return r.Host
	}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return at.String()
	}
	return "HOST"
}

// samples writes the links of Config.Samples, those of a scheme together.
func (p *page) samples() {
	p.put("<h2>Examples</h2>\n<table>\n<thead><tr><th scope=\"col\">Scheme</th><th scope=\"col\">Object</th></tr></thead>\n<tbody>\n")
	last := ""
	for _, s := range p.g.cfg.Samples {
		name := s.Title
		if name == "" {
			name = nameOf(s.URI, &fetch.Options{})
		}
		switch scheme := s.URI.Scheme(); {
		case scheme == last:
			p.put("<br>\n")
		default:
			if last != "" {
				p.put("</td></tr>\n")
			}
			p.put("<tr><th scope=\"row\" align=\"left\" class=\"s\">%s</th><td>", scheme)
			p.lesson(s)
			last = scheme
		}
		p.put("<a href=\"%s\">%s</a>", Path(s.URI), name)
		if s.Lesson {
			p.put(" <a class=\"t\" href=\"%s\" title=\"conversation\" aria-label=\"conversation of %s\">⇄</a>", conversationPath(s.URI), name)
		}
	}
	p.put("</td></tr>\n</tbody>\n</table>\n")
}

// lesson says in a sentence what the scheme of a sample names, and when and where it is specified.
func (p *page) lesson(s Sample) {
	if about, ok := p.g.client.Schemes.Lookup(s.URI.Scheme()); ok && s.Lesson {
		year := ""
		if s.Year != 0 {
			year = " (first specified in " + strconv.Itoa(s.Year) + ")"
		}
		p.put("%s%s<br>\n<small>%s · <a href=\"%s\">Explain %s</a></small><br>\n",
			about.Summary, year, about.Spec, path(ownPath+"explain", s.URI), about.Name())
	}
}
