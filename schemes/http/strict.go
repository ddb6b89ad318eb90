package http

import (
	"bufio"
	"bytes"
	nethttp "net/http"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// strict reports what is accepted in the head of a response although the specifications forbid it, or demand something else.
func (x *exchange) strict() {
	if !x.env.Strict() {
		return
	}
	h := x.head.header
	field := func(section, name, format string, args ...any) {
		x.env.Deviates(section, "the field "+name, format, args...)
	}
	missing := func(section, name string) {
		if len(h[nethttp.CanonicalHeaderKey(name)]) == 0 {
			x.env.Deviates(section, "the header of a "+strconv.Itoa(x.head.status), "%s is missing", name)
		}
	}
	x.strictLines()
	if x.head.major > 0 && x.head.status < 500 && (x.head.major > 1 || x.head.minor > 0) {
		missing("RFC 9110 section 6.6.1", "Date")
	}
	if x.version == "HTTP/1.0" && x.size == chunked {
		field("RFC 9112 section 6.1", "Transfer-Encoding", "in the response to a request of HTTP/1.0")
	}
	switch x.head.status {
	case 206:
		missing("RFC 9110 section 15.3.7.1", "Content-Range")
	case 304:
		x.strictLength()
	case 401:
		missing("RFC 9110 section 15.5.2", "WWW-Authenticate")
	case 405:
		missing("RFC 9110 section 15.5.6", "Allow")
	case 407:
		missing("RFC 9110 section 15.5.8", "Proxy-Authenticate")
	}
	for _, name := range []string{"Date", "Last-Modified"} {
		if v := h.Get(name); v != "" {
			if _, err := nethttp.ParseTime(v); err != nil {
				field("RFC 9110 section 5.6.7", name, "%q is not a date", v)
			}
		}
	}
	if tag := h.Get("Etag"); tag != "" && !isTag(tag) {
		field("RFC 9110 section 8.8.3", "ETag", "%q is not a quoted tag", tag)
	}
	for _, name := range []string{"Location", "Content-Location"} {
		if v := h.Get(name); v != "" {
			if uri.Grammar(v) != nil {
				field(map[string]string{"Location": "RFC 9110 section 10.2.2", "Content-Location": "RFC 9110 section 8.7"}[name], name, "%q is not a URI reference", v)
			}
		}
	}
}

// strictLines checks the status line and the framing.
func (x *exchange) strictLines() {
	const where, length = "the status line", "the field Content-Length"
	if x.head.noBlank {
		x.env.Deviates("RFC 9112 section 4", where, "no blank after the code")
	}
	if x.head.blanks {
		x.env.Deviates("RFC 9112 section 4", where, "more than one blank before the code")
	}
	if x.head.status >= 600 {
		x.env.Deviates("RFC 9110 section 15", where, "the code %d", x.head.status)
	}
	if x.head.folded {
		x.env.Deviates("RFC 9112 section 5.2", "the header", "a folded line")
	}
	switch n := x.head.header["Content-Length"]; {
	case len(n) == 0:
	case len(x.head.header["Transfer-Encoding"]) > 0:
		x.env.Deviates("RFC 9112 section 6.2", length, "next to Transfer-Encoding")
	case x.head.status == 204:
		x.env.Deviates("RFC 9110 section 8.6", length, "in a 204")
	case len(n) > 1 || strings.Contains(n[0], ","):
		x.env.Deviates("RFC 9110 section 8.6", length, "more than one value")
	}
}

// hasFold reports whether a line of the head that is read next continues the line before it. It waits for no more than the parser does.
func hasFold(in *bufio.Reader) bool {
	for {
		head, _ := in.Peek(in.Buffered())
		whole := len(head) == in.Size()
		for _, end := range []string{"\n\r\n", "\n\n"} {
			if i := bytes.Index(head, []byte(end)); i >= 0 {
				head, whole = head[:i], true
			}
		}
		if !whole {
			_, err := in.Peek(len(head) + 1)
			whole = err != nil
		}
		if whole {
			return bytes.Contains(head, []byte("\n ")) || bytes.Contains(head, []byte("\n\t"))
		}
	}
}

// strictLength checks the Content-Length of a 304. It is that of the document, of which the request may have named the size.
func (x *exchange) strictLength() {
	n, err := contentLength(x.head.header["Content-Length"])
	size := x.plan.Options.IfChanged.Size
	if err == nil && (size > 0 && n >= 0 && n != size || size <= 0 && n == 0) {
		x.env.Deviates("RFC 9110 section 8.6", "the header of a 304", "Content-Length: %d, which is not that of the document", n)
	}
}

// isTag reports whether s is an entity-tag.
func isTag(s string) bool {
	s = strings.TrimPrefix(s, "W/")
	return len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' && !strings.ContainsAny(s[1:len(s)-1], "\" \t")
}
