package gateway

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/pieces"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/uri"
)

// raw serves the bytes of u.
func (g *Gateway) raw(w http.ResponseWriter, r *http.Request, u uri.URI) {
	if d, ok := g.fetchObject(w, r, u, false); ok {
		g.octets(w, r, d)
	}
}

// fetchObject fetches u with the options of the request. If that fails it writes the error page.
func (g *Gateway) fetchObject(w http.ResponseWriter, r *http.Request, u uri.URI, noFollow bool) (*fetch.Document, bool) {
	o, err := g.options(r)
	if err != nil {
		g.failure(w, r, u, err)
		return nil, false
	}
	o.NoFollow = noFollow
	d, err := g.get(r, u, o)
	if err != nil {
		g.failurePage(w, r, u, d, err, nil)
		return nil, false
	}
	return d, true
}

// octets serves d unchanged. Since it has the gateway's origin, it is in a sandbox without any rights, and gets only the origin's header
// fields about the object, not those about the site.
func (g *Gateway) octets(w http.ResponseWriter, r *http.Request, d *fetch.Document) {
	if !g.begins(w, r, d, nil) {
		return
	}
	note(r).form = "octets"
	resp := httpbridge.Answer(r, d)
	h := w.Header()
	for _, name := range [...]string{"Content-Type", "Content-Location", "Content-Range", "Content-Language", "Content-Disposition", "Etag",
		"Last-Modified"} {
		if v := resp.Header.Get(name); v != "" {
			h.Set(name, v)
		}
	}
	if h.Get("Content-Type") != "" {
		h.Set("Content-Type", d.ContentType()) // with the charset that the server declares
	}
	if resp.ContentLength >= 0 {
		h.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	foreignHeader(h)
	if mediatype.Essence(d.Type) == "application/pdf" { // browsers show no PDF in a sandbox; their viewers have no rights of a page
		h.Set("Content-Security-Policy", "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'")
	}
	if resp.StatusCode == http.StatusOK {
		resp.Body = quiet(h, resp.Body, d.Source())
	}
	g.stream(w, r, resp)
}

// quiet returns a document of HTML or XML in a form in which it contacts no host, and sets its Content-Type. Other documents are returned as
// they are. The charset is always declared, so that browsers see the text that was examined. What is not in UTF-8 or in a charset of single
// bytes is converted to UTF-8.
func quiet(h http.Header, body io.ReadCloser, from charset.Source) io.ReadCloser {
	kind := mediatype.Essence(h.Get("Content-Type"))
	xml := mediatype.IsXML(kind)
	if kind != "text/html" && !xml {
		return body
	}
	h.Del("Content-Length")
	label := strings.ToLower(charset.LabelOf(h.Get("Content-Type")))
	head := &pieces.Ahead{Rest: body} // may begin with the byte order mark of UTF-16, which takes precedence over the declared charset
	head.Fill(2)
	text := io.Reader(head)
	if mark := string(head.Held); !isPlain(label) || mark == "\xff\xfe" || mark == "\xfe\xff" {
		text = from.NewReader(text)
		label = "utf-8"
	}
	h.Set("Content-Type", kind+"; charset="+label)
	return fetch.NewBody(foreign.Quiet(text, xml), body.Close)
}

// isPlain reports whether each byte below 0x80 is the character of ASCII in a charset, wherever it stands, and browsers know the charset. They read a
// page in the charset of its META element if they do not.
func isPlain(label string) bool {
	return label == "utf-8" || label == "us-ascii" || charset.IsWeb(label) &&
		(strings.HasPrefix(label, "iso-8859-") || strings.HasPrefix(label, "windows-125") || strings.HasPrefix(label, "koi8-"))
}

// foreignHeader puts foreign content with the gateway's origin into a sandbox.
func foreignHeader(h http.Header) {
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	guardHeader(h)
}
