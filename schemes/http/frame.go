package http

import (
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
)

// Lengths of a body that are no number.
const (
	untilClose int64 = -1
	chunked    int64 = -2
)

// frame says where the body ends: RFC 9112 section 6.3, in its order. Whatever two readers could take for two different lengths
// is refused, as section 6.1 advises.
func frame(h *head, noBody bool) (int64, error) {
	length, err := contentLength(h.header["Content-Length"])
	if err != nil {
		return 0, err
	}
	codings, isCoded := h.header["Transfer-Encoding"]
	switch {
	case isCoded && h.minor == 0:
		return 0, fetch.Errorf(fetch.ErrProtocol, "Transfer-Encoding in HTTP/1.0")
	case isCoded && length >= 0:
		return 0, fetch.Errorf(fetch.ErrProtocol, "both Transfer-Encoding and Content-Length")
	case isCoded && (len(codings) != 1 || !strings.EqualFold(codings[0], "chunked")):
		return 0, fetch.Errorf(fetch.ErrProtocol, "the Transfer-Encoding %q is unknown", strings.Join(codings, ", "))
	case noBody, h.status == 204, h.status == 304:
		return 0, nil
	case isCoded:
		return chunked, nil
	}
	return length, nil
}

// contentLength reads the field; several equal values count as one (RFC 9112 section 6.3 item 5). Without it the answer is
// untilClose.
func contentLength(values []string) (int64, error) {
	n := untilClose
	for _, line := range values {
		for v := range strings.SplitSeq(line, ",") {
			m, ok := digits(strings.Trim(v, " \t"))
			if !ok || n >= 0 && m != n {
				return untilClose, fetch.Errorf(fetch.ErrProtocol, "Content-Length is no number, or two different ones")
			}
			n = m
		}
	}
	return n, nil
}

// keeps reports whether the server keeps the connection after this answer. RFC 9112 section 9.3.
func (h *head) keeps() bool {
	if hasToken(h.header, "Connection", "close") {
		return false
	}
	return h.major == 1 && h.minor >= 1 || hasToken(h.header, "Connection", "keep-alive")
}

// hasToken reports whether a list field holds a token, in any case.
func hasToken(h textproto.MIMEHeader, name, token string) bool {
	for _, line := range h[name] {
		for t := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.Trim(t, " \t"), token) {
				return true
			}
		}
	}
	return false
}
