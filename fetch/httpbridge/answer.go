package httpbridge

import (
	"fmt"
	"net/http"
	"strconv"

	"example.org/deref/fetch"
)

// Answer returns an http.Response for a Document that was requested with Options(r).
func Answer(r *http.Request, d *fetch.Document) *http.Response {
	status := http.StatusOK
	switch {
	case d.NotModified, unchanged(r, d):
		status = http.StatusNotModified
	case d.Offset > 0 || partial(r, d):
		status = http.StatusPartialContent
	}
	resp := response(r, status, d.Body)
	header(resp.Header, d)
	length(resp, d)
	if r.Method == http.MethodHead || status == http.StatusNotModified {
		d.Body.Close()
		resp.Body = http.NoBody
	}
	return resp
}

// partial reports whether a part that begins at 0 was requested and is certainly returned.
func partial(r *http.Request, d *fetch.Document) bool {
	want := rangeOf(r.Header.Get("Range"))
	return want.From == 0 && want.To > 0 && want.To < d.Size
}

// header sets the HTTP header fields for a Document. The server's own fields take precedence, except those about its connection or coding.
func header(h http.Header, d *fetch.Document) {
	for name, values := range d.Header {
		name = http.CanonicalHeaderKey(name)
		switch name {
		case "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Encoding", "Content-Length", "Content-Range", "Trailer", "Upgrade",
			"Location", "Set-Cookie", "Www-Authenticate", "Proxy-Authenticate", "Strict-Transport-Security":
			continue
		}
		if same := h[name]; same != nil { // another spelling of the name
			values = append(same, values...)
		}
		h[name] = values[:len(values):len(values)]
	}
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	set("Content-Type", d.Type)
	set("Content-Location", d.URI.Redacted(nil))
	set("ETag", entityTag(d.Validator))
	if !d.Modified.IsZero() {
		h.Set("Last-Modified", d.Modified.UTC().Format(http.TimeFormat))
	}
}

// length sets the length, if known: that of the part for a range.
func length(resp *http.Response, d *fetch.Document) {
	size := d.Size
	switch resp.StatusCode {
	case http.StatusNotModified:
		return
	case http.StatusPartialContent:
		var field string
		field, size = contentRange(rangeOf(resp.Request.Header.Get("Range")), d)
		resp.Header.Set("Content-Range", field)
	}
	if size >= 0 {
		resp.ContentLength = size
		resp.Header.Set("Content-Length", strconv.FormatInt(size, 10))
	}
}

// contentRange returns the Content-Range, and the length of the part or -1.
func contentRange(want fetch.Range, d *fetch.Document) (field string, size int64) {
	if d.Size < 0 {
		return fmt.Sprintf("bytes %d-*/*", d.Offset), -1
	}
	last := d.Size
	if want.To > 0 {
		last = min(last, want.To)
	}
	return fmt.Sprintf("bytes %d-%d/%d", d.Offset, last-1, d.Size), last - d.Offset
}
