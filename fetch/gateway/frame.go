package gateway

import (
	"io"
	"net/http"

	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// favicon is the icon of the pages: an arrow that leaves a box.
const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0a58ca"/>` +
	`<path d="M4 12 12 4M6 4h6v6" fill="none" stroke="#fff" stroke-width="2"/></svg>`

// A frame is what surrounds the main part of a page.
type frame struct {
	status int
	object uri.URI // that the page is about; zero for the gateway's own pages
	field  string  // the contents of the address field, if they are not the object's URI
	title  string
	path   []crumb       // to the object; nil means that of its URI
	embeds string        // a directive of the Content-Security-Policy for what the main part embeds
	below  func(p *page) // writes "How was this fetched?"; nil for pages that fetched nothing
}

// A page is a page being written.
type page struct {
	w       http.ResponseWriter
	g       *Gateway
	written int64
	at      string // precedes the paths of its links: see prefix
}

// framed writes a page: the frame that all pages have, and in it the main part, which content writes. There is none in a response to HEAD.
func (g *Gateway) framed(w http.ResponseWriter, r *http.Request, f frame, content func(p *page)) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src '"+styleHash()+"'; img-src 'self'; "+f.embeds+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	guardHeader(h)
	h.Set("Referrer-Policy", "same-origin") // for hasOwnReferer
	w.WriteHeader(f.status)
	if r.Method == http.MethodHead {
		return
	}
	p := &page{w: w, g: g, at: g.prefix(r)}
	field := f.field
	if field == "" && !f.object.IsZero() {
		field = f.object.WithoutPassword().String() // the address of the page, so that submitting it requests the same
	}
	p.put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<link rel=\"icon\" href=\"/favicon.ico\" type=\"image/svg+xml\">\n<title>%s%s</title>\n<style>%s</style>\n</head>\n<body>\n<header>\n<a href=\"/\">deref</a>\n"+
		"<form action=\"/-/go\"><label for=\"uri\">URI</label> <input id=\"uri\" name=\"uri\" type=\"text\" inputmode=\"url\" autocapitalize=\"off\" "+
		"autocomplete=\"off\" spellcheck=\"false\" required value=\"%s\"> <button>Go</button></form>\n</header>\n",
		f.title, g.suffix(f), render.Style, field)
	path := f.path
	if path == nil {
		path = crumbs(f.object)
	}
	p.crumbs(path)
	p.put("<main>\n<h1>%s</h1>\n", f.title)
	content(p)
	p.put("</main>\n")
	if f.below != nil {
		p.put("<footer>\n")
		f.below(p)
		p.put("</footer>\n")
	}
	p.put("</body>\n</html>\n")
}

// suffix returns what follows a page's title in the list of the browser's windows.
func (g *Gateway) suffix(f frame) string {
	if f.object.Hostname() == "" {
		return " – deref"
	}
	return " – " + f.object.Scheme() + ", " + f.object.Hostname()
}

// put writes HTML, as render.HTMLf returns it.
func (p *page) put(format string, args ...any) {
	n, _ := io.WriteString(p.w, string(render.HTMLf(format, args...)))
	p.written += int64(n)
}

// Write flushes each part of a view at once.
func (p *page) Write(b []byte) (int, error) {
	n, err := flushing{p.w}.Write(b)
	p.written += int64(n)
	return n, err
}
