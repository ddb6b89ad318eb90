package http

import (
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
)

// Sizes of a body whose length is not known in advance.
const (
	untilClose int64 = -1 // it ends with the connection
	chunked    int64 = -2
	framed     int64 = -3 // HTTP/2 marks its end (RFC 9113 section 8.1)
)

// bodySize returns the size of the body, or how it ends: RFC 9112 section 6.3, in its order. It refuses whatever two readers could
// understand as two different lengths, as section 6.1 advises.
func bodySize(h *head, noBody bool) (int64, error) {
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
		return 0, fetch.Errorf(fetch.ErrProtocol, "unknown Transfer-Encoding %q", strings.Join(codings, ", "))
	case noBody, h.status == 204, h.status == 304:
		return 0, nil
	case isCoded:
		return chunked, nil
	}
	return length, nil
}

// contentLength parses Content-Length. Several equal values count as one (RFC 9112 section 6.3 item 5). It returns untilClose if there is
// none.
func contentLength(values []string) (int64, error) {
	n := untilClose
	for _, line := range values {
		for v := range strings.SplitSeq(line, ",") {
			m, ok := digits(strings.Trim(v, " \t"))
			if !ok || n >= 0 && m != n {
				return untilClose, fetch.Errorf(fetch.ErrProtocol, "bad or contradictory Content-Length")
			}
			n = m
		}
	}
	return n, nil
}

// keepsAlive reports whether the connection persists after this response. RFC 9112 section 9.3.
func (h *head) keepsAlive() bool {
	if hasToken(h.header, "Connection", "close") {
		return false
	}
	return h.major == 1 && h.minor >= 1 || hasToken(h.header, "Connection", "keep-alive")
}

// hasToken reports whether a list field contains a token, ignoring case.
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
