package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

// show serves a page about u, or its bytes if a page would add nothing: an image, an archive, a range.
func (g *Gateway) show(w http.ResponseWriter, r *http.Request, u uri.URI) {
	o, err := g.options(r)
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	g.page(w, r, u, o)
}

// page serves u with the given options.
func (g *Gateway) page(w http.ResponseWriter, r *http.Request, u uri.URI, o *fetch.Options) {
	note(r).form = "page"
	c := newTranscript()
	o.Trace = c.trace
	d, err := g.get(r, u, o)
	if err != nil {
		g.failurePage(w, r, u, err, c)
		return
	}
	if !isPage(d) || !o.Range.IsZero() {
		g.octets(w, r, d)
		return
	}
	defer d.Body.Close()
	if strings.HasPrefix(d.Type, "text/html") {
		htmltext.Head(d) // ISINDEX, a form with one field
	}
	p := g.begin(w, r, http.StatusOK, d.URI, title(d, o))
	if r.Method == http.MethodHead {
		return
	}
	p.facts(d)
	switch {
	case o.Search != nil || g.isSearch(u):
		p.searchField(u, o.Search)
	case !d.Search.IsZero():
		p.searchField(d.Search, nil)
	}
	p.view(d)
	d.Body.Close()
	p.transcriptSection(g.plan(u, o), c)
	p.end()
}

// view writes the main part. An error is shown where the document ends.
func (p *page) view(d *fetch.Document) {
	o := &render.Options{Inner: true, Href: p.g.hrefFrom(d.URI), Foreign: p.g.foreign, Part: partHref(d.URI)}
	if err := render.View(p, d, render.HTML, o); fetch.KindOf(err) == fetch.ErrUnsupported {
		p.put("<p role=\"alert\">", render.EscapeHTML(err.Error()), "</p>\n")
	}
}

// get dereferences u. It checks the scheme of the URI and of the final document.
func (g *Gateway) get(r *http.Request, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	about := note(r)
	about.object = u
	err := g.allowed(u.Scheme())
	var d *fetch.Document
	if err == nil {
		d, err = httpbridge.Get(r.Context(), g.client, u, o)
	}
	if err == nil {
		err = g.allowed(d.URI.Scheme())
	}
	if err != nil && d != nil {
		d.Body.Close()
	}
	about.kind = fetch.KindOf(err)
	return d, err
}

// isPage reports whether d is shown as a page: entries and texts.
func isPage(d *fetch.Document) bool {
	kind := mediatype.Essence(d.Type)
	return !d.NotModified && (d.Entries != nil || strings.HasPrefix(kind, "text/") || kind == "message/rfc822" || render.HasArtName(d))
}

// title returns the title of a page.
func title(d *fetch.Document, o *fetch.Options) string {
	if subject := d.Header.Get("Subject"); subject != "" {
		return mimemail.WordsIn(subject, charset.LabelOf(d.Header.Get("Content-Type")))
	}
	s := d.URI.Redacted(nil)
	if o.Search != nil {
		s += ": " + strings.Join(o.Search, " ")
	}
	return s
}

// foreign copies a foreign page, with links and images that carry the gateway's seal.
func (g *Gateway) foreign(w io.Writer, r io.Reader, base uri.Resolver, href func(uri.URI) string, images bool) error {
	l := foreign.Links{To: func(u uri.URI) string {
		if path := href(u); strings.HasPrefix(path, "/") {
			return g.sealed(toPath, path)
		}
		return href(u)
	}}
	if images {
		l.Image = func(u uri.URI) string {
			if path := href(u); strings.HasPrefix(path, "/") && !strings.HasPrefix(path, ownPath) {
				return g.sealed(imagePath, path)
			}
			return ""
		}
	}
	return foreign.Write(w, r, base, l)
}

// hrefFrom returns a function that maps the links of a page to paths of the gateway, or "". Articles and groups without a host are those of
// the page's own host.
func (g *Gateway) hrefFrom(from uri.URI) func(uri.URI) string {
	return func(u uri.URI) string {
		if _, named := u.Authority(); !named && u.Scheme() == "news" && from.Scheme() == "news" && from.Hostname() != "" {
			u = here(from, u)
		}
		if u.Scheme() == "mailto" {
			return render.Absolute(u) // for the user's mail program
		}
		if g.allowed(u.Scheme()) != nil {
			return ""
		}
		return Path(u)
	}
}

// here returns u at the host of from.
func here(from, u uri.URI) uri.URI {
	host, _ := from.Authority()
	if at, err := uri.Parse("news://" + string(host) + "/" + string(u.Opaque())); err == nil {
		return at
	}
	return u
}

// A page is a page being written.
type page struct {
	w http.ResponseWriter
	g *Gateway
}

// begin writes a page up to its heading.
func (g *Gateway) begin(w http.ResponseWriter, r *http.Request, status int, u uri.URI, title string) *page {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src '"+styleHash()+"'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	guardHeader(h)
	w.WriteHeader(status)
	p := &page{w, g}
	if r.Method == http.MethodHead {
		return p
	}
	field := ""
	if !u.IsZero() {
		field = g.client.Schemes.Redact(u)
	}
	p.put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
		render.EscapeHTML(title), "</title>\n<style>", render.Style, "</style>\n</head>\n<body>\n<header>\n<a href=\"/\">deref</a>\n",
		"<form action=\"/-/go\"><label for=\"uri\">URI</label> <input id=\"uri\" name=\"uri\" type=\"text\" inputmode=\"url\" autocapitalize=\"off\" autocomplete=\"off\" spellcheck=\"false\" required value=\"",
		render.EscapeHTML(field), "\"> <button>Go</button></form>\n</header>\n<main>\n<h1>", render.EscapeHTML(title), "</h1>\n")
	return p
}

// guardHeader prevents a response from being sniffed as another type, or embedded by another site.
func guardHeader(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

func styleHash() string {
	sum := sha256.Sum256([]byte(render.Style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (p *page) put(parts ...string) {
	for _, s := range parts {
		io.WriteString(p.w, s)
	}
}

// Write flushes each part of a view at once.
func (p *page) Write(b []byte) (int, error) {
	c := http.NewResponseController(p.w)
	n, err := p.w.Write(b)
	if err == nil {
		err = c.Flush()
	}
	return n, err
}

// facts writes the known properties of the document.
func (p *page) facts(d *fetch.Document) {
	p.put("<p class=\"facts\">", render.EscapeHTML(d.Type))
	if d.Size >= 0 {
		p.put(", ", strconv.FormatInt(d.Size, 10), " bytes")
	}
	if !d.Modified.IsZero() {
		p.put(", ", d.Modified.UTC().Format("2006-01-02 15:04"))
	}
	p.put(" · <a href=\"", render.EscapeHTML(RawPath(d.URI)), "\">raw</a>")
	if d.URI.Scheme() == "snmp" && d.Entries != nil {
		p.put(" · <a href=\"", render.EscapeHTML(path(ownPath+"rows", d.URI)), "\">as a table</a>")
	}
	p.put("</p>\n")
}

func (p *page) end() { p.put("</body>\n</html>\n") }
