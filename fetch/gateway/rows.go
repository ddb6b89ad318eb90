package gateway

import (
	"net/http"

	"example.org/deref/uri"
)

// rows serves a table of the management database (SNMP) with a row for each index.
func (g *Gateway) rows(w http.ResponseWriter, r *http.Request, u uri.URI) {
	o := g.plainOptions(r)
	o.Put("snmp.rows", "yes")
	g.page(w, r, wholeView(u, o))
}
