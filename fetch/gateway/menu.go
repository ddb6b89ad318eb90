package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// menuOf returns the menu of gopher that the selector of u is below, as a path. Others may list u, too.
func menuOf(u uri.URI) (crumb, bool) {
	if u.Scheme() != "gopher" && u.Scheme() != "gophers" {
		return crumb{}, false
	}
	return above(u)
}

// isFromMenu reports whether the reader has followed a link to u on the page of its menu, or on that of its neighbor. The request says so, so
// that the gateway needs no memory of it. The menu is not read before the reader asks for a neighbor.
func (g *Gateway) isFromMenu(r *http.Request, u uri.URI) bool {
	menu, ok := menuOf(u)
	from, err := url.Parse(r.Referer())
	if !ok || err != nil || !hasOwnReferer(r) {
		return false
	}
	path := strings.TrimPrefix(from.RequestURI(), g.prefix(r))
	if strings.TrimSuffix(path, "/") == strings.TrimSuffix(Path(menu.uri), "/") {
		return true
	}
	path, query, _ := strings.Cut(path, "?")
	if path == "" || query != "" {
		return false
	}
	neighbor, err := g.target(path)
	return err == nil && isBelow(neighbor, menu.uri)
}

// isBelow reports whether the menu of u is that one.
func isBelow(u, menu uri.URI) bool {
	c, ok := menuOf(u)
	return ok && c.uri.String() == menu.String()
}

// documentsBelow returns the documents of a menu that are below it.
func documentsBelow(list []fetch.Entry, menu uri.URI) []fetch.Entry {
	return slices.DeleteFunc(list, func(e fetch.Entry) bool {
		return e.Kind != fetch.KindFile || !isBelow(e.URI, menu)
	})
}
