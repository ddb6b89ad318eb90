package gateway

import (
	"net/http"
	"strings"

	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// start serves the start page.
func (g *Gateway) start(w http.ResponseWriter, r *http.Request) {
	p := g.begin(w, r, http.StatusOK, uri.URI{}, "Any URI")
	if r.Method == http.MethodHead {
		return
	}
	p.put("<p>Enter the URI of anything above: a gopher hole, an FTP site, a newsgroup, a directory entry.</p>\n")
	if len(g.cfg.Samples) > 0 {
		p.put("<h2>Examples</h2>\n<table>\n<thead><tr><th scope=\"col\">Scheme</th><th scope=\"col\">Object</th></tr></thead>\n<tbody>\n")
		for _, s := range g.cfg.Samples {
			name := s.Title
			if name == "" {
				name = g.client.Schemes.Redact(s.URI)
			}
			p.put("<tr><td>", render.EscapeHTML(s.URI.Scheme()), "</td><td><a href=\"", render.EscapeHTML(Path(s.URI)), "\">",
				render.EscapeHTML(name), "</a></td></tr>\n")
		}
		p.put("</tbody>\n</table>\n")
	}
	at := render.EscapeHTML("http://" + r.Host + "/")
	p.put("<h2>For other programs</h2>\n<p>This is a proxy, too:</p>\n<pre>\nftp_proxy=", at, " curl ftp://HOST/\ngopher_proxy=", at,
		" lynx gopher://HOST/\n")
	if g.cfg.Scheme != "" {
		p.put("WWW_", render.EscapeHTML(g.cfg.Scheme), "_GATEWAY=", at, " lynx ", render.EscapeHTML(g.cfg.Scheme), "://HOST/\n")
	}
	p.put("</pre>\n</main>\n")
	p.end()
}

// goTo redirects from the URI field to the page.
func (g *Gateway) goTo(w http.ResponseWriter, r *http.Request) {
	u, err := parse(strings.TrimSpace(r.URL.Query().Get("uri")))
	if err != nil {
		g.failure(w, r, uri.URI{}, err)
		return
	}
	if !u.IsAbs() {
		g.fail(w, r, http.StatusBadRequest, "not an absolute URI: it must begin with a scheme, such as gopher://")
		return
	}
	http.Redirect(w, r, Path(u), http.StatusSeeOther)
}
