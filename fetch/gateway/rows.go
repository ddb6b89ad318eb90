package gateway

import (
	"maps"
	"net/http"

	"example.org/deref/uri"
)

// rows serves a table of the management database (SNMP) with a row for each index.
func (g *Gateway) rows(w http.ResponseWriter, r *http.Request, u uri.URI) {
	o := g.plainOptions(r)
	set := map[string][]string{"snmp.rows": {"yes"}}
	maps.Copy(set, o.Set)
	o.Set = set
	g.page(w, r, u, o)
}
