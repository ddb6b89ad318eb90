package httpbridge

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// Answer returns an http.Response for a Document that was requested with Options(r).
func Answer(r *http.Request, d *fetch.Document) *http.Response {
	status := http.StatusOK
	switch {
	case d.NotModified, unchanged(r, d):
		status = http.StatusNotModified
	case d.Offset > 0 && d.Offset == d.Size: // nothing of the range is in the document (RFC 9110 section 14.1.2)
		status = http.StatusRequestedRangeNotSatisfiable
	case d.Offset > 0 || partial(r, d):
		status = http.StatusPartialContent
	}
	resp := response(r, status, d.Body)
	header(resp.Header, d)
	length(resp, d)
	if r.Method == http.MethodHead || status == http.StatusNotModified || status == http.StatusRequestedRangeNotSatisfiable {
		d.Body.Close()
		resp.Body = http.NoBody
	}
	return resp
}

// partial reports whether a part that begins at 0 was requested, and may be less than the whole.
func partial(r *http.Request, d *fetch.Document) bool {
	want := rangeOf(r.Header.Get("Range"))
	return want.From == 0 && want.To > 0 && (want.To < d.Size || d.Size < 0)
}

// header sets the HTTP header fields for a Document. The server's own fields take precedence, except those about its connection or site. Content-Encoding
// is about the bytes of d: a scheme that undoes a coding removes it.
func header(h http.Header, d *fetch.Document) {
	EndToEnd(h, d, "Content-Range", "Location", "Set-Cookie", "Www-Authenticate", "Strict-Transport-Security")
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

// EndToEnd copies the header fields of d, except those about its connection (RFC 9110 section 7.6.1), its length, and others.
func EndToEnd(h http.Header, d *fetch.Document, others ...string) {
	skip := append(others, "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length")
	for _, field := range d.Header.Values("Connection") {
		skip = append(skip, strings.Split(field, ",")...)
	}
	for name, values := range d.Header {
		if slices.ContainsFunc(skip, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), name) }) {
			continue
		}
		name = http.CanonicalHeaderKey(name)
		h[name] = slices.Concat(h[name], values) // another spelling of the name
	}
}

// length sets the length, if known: that of the part for a range.
func length(resp *http.Response, d *fetch.Document) {
	size := d.Size
	switch resp.StatusCode {
	case http.StatusNotModified:
		return
	case http.StatusRequestedRangeNotSatisfiable:
		size = 0
		resp.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", d.Size))
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

// contentRange returns the Content-Range, and the length of the part or -1. The field has no form for a part of unknown length to the end.
func contentRange(want fetch.Range, d *fetch.Document) (field string, size int64) {
	switch {
	case d.Size < 0 && want.To > 0:
		return fmt.Sprintf("bytes %d-%d/*", d.Offset, want.To-1), -1
	case d.Size < 0:
		return fmt.Sprintf("bytes %d-*/*", d.Offset), -1
	}
	last := d.Size
	if want.To > 0 {
		last = min(last, want.To)
	}
	return fmt.Sprintf("bytes %d-%d/%d", d.Offset, last-1, d.Size), last - d.Offset
}
