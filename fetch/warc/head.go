package warc

import (
	"bytes"
	"strconv"

	"example.org/deref/fetch/mediatype"
)

// An httpHead holds the parsed start of a response.
type httpHead struct {
	start, end int64 // of the final head within the spool, after any interim responses
	version    string
	entry
	chunked bool
	length  int64 // Content-Length; -1 if unknown
}

// maxHead bounds the head of a response.
const maxHead = 1 << 20

// readHead finds the head of the final response. Interim responses are separate messages (RFC 9110 section 15.2).
func readHead(s *spool) (h httpHead, ok bool) {
	for n := int64(8 << 10); ; n *= 8 {
		n = min(n, s.size, maxHead)
		if h, ok = parseHead(s.bytes(0, n)); ok || n == s.size || n == maxHead {
			return h, ok
		}
	}
}

func parseHead(b []byte) (h httpHead, ok bool) {
	at := 0
	for {
		end := headEnd(b[at:])
		if end < 0 {
			return h, false
		}
		h = httpHead{start: int64(at), end: int64(at + end)}
		if h.version, h.status = statusLine(b[at : at+end]); h.status < 100 {
			return h, false
		}
		if h.status >= 200 {
			f := fields(b[at : at+end])
			h.chunked, h.media, h.length = isChunked(f), mediatype.Essence(f.Get("Content-Type")), -1
			if n, err := strconv.ParseInt(f.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
				h.length = n
			}
			return h, true
		}
		at += end
	}
}

// headEnd returns the length of a head including the empty line that ends it, or -1.
func headEnd(b []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
		if rest := b[at:]; bytes.HasPrefix(rest, []byte("\n")) {
			return at + 1
		} else if bytes.HasPrefix(rest, []byte("\r\n")) {
			return at + 2
		}
	}
}
