package gateway

import (
	"net/http"
	"strings"
)

// goTo redirects from the address field to the page.
func (g *Gateway) goTo(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.URL.Query().Get("uri"))
	u, err := g.client.Schemes.Typed(text)
	if err != nil {
		g.badAddress(w, r, text, err)
		return
	}
	redirectTo(w, http.StatusSeeOther, Path(u))
}

// badAddress explains what can be entered. The field keeps what the user has entered.
func (g *Gateway) badAddress(w http.ResponseWriter, r *http.Request, text string, err error) {
	g.framed(w, r, frame{status: http.StatusBadRequest, title: "That address cannot be opened", field: text}, func(p *page) {
		p.put("<p role=\"alert\">%s</p>\n"+
			"<p>Correct it in the field above. These forms are understood:</p>\n<ul>\n<li>a URI: <code>gopher://gopher.example/1/about</code></li>\n"+
			"<li>a URI as texts contain it: <code>&lt;URL:ftp://ftp.example/pub/&gt;</code></li>\n"+
			"<li>the name of a host: <code>gopher.example</code></li>\n</ul>\n", err)
	})
}
