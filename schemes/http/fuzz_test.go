package http

import (
	"bufio"
	nethttp "net/http"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// FuzzHead compares our parser of a response with that of net/http: what we accept has the same length as in net/http.
func FuzzHead(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
	f.Add("HTTP/1.0 304\nA: b\n c\n\n")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := readHead(bufio.NewReader(strings.NewReader(s)))
		if err == nil && h.status >= 200 {
			var size int64
			if size, err = bodySize(&h, false); err == nil {
				sameAsNetHTTP(t, s, h, size)
			}
		}
		if err != nil && fetch.KindOf(err) == "" {
			t.Errorf("got %v, want an error with a kind", err)
		}
	})
}

func sameAsNetHTTP(t *testing.T, s string, h head, size int64) {
	r, err := nethttp.ReadResponse(bufio.NewReader(strings.NewReader(s)), nil)
	if err != nil {
		if !strings.Contains(err.Error(), "Trailer") && !strings.Contains(err.Error(), "trailer") {
			t.Fatalf("got size %d, want an error as from net/http: %v", size, err)
		}
		return
	}
	isChunked := len(r.TransferEncoding) > 0
	switch {
	case h.status == 204 || h.status == 304:
	case isChunked != (size == chunked), !isChunked && size >= 0 && r.ContentLength != size,
		!isChunked && size == untilClose && r.ContentLength >= 0:
		t.Errorf("got size %d, want %d %v, as from net/http", size, r.ContentLength, r.TransferEncoding)
	}
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 0-4/5")
	f.Add("bytes */5")
	f.Fuzz(func(t *testing.T, s string) {
		from, to, size, ok := contentRange([]string{s})
		if ok && from >= 0 && (to <= from || size >= 0 && to > size) {
			t.Errorf("%q: got %d, %d, %d, want a range within the size", s, from, to, size)
		}
	})
}

// FuzzTarget checks that a request target is one word of printable ASCII, and decodes to the same bytes.
func FuzzTarget(f *testing.F) {
	f.Add("/a b%20\xff\"?c#d")
	f.Fuzz(func(t *testing.T, s string) {
		w := escape(s)
		if strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r > '~' }) || escape(w) != w {
			t.Errorf("%q: got %q, want one word that needs no escapes", s, w)
		}
		if !strings.Contains(s, "%") && uri.Escaped(w).Decode() != s {
			t.Errorf("%q: got %q, want it to decode to the same", s, w)
		}
	})
}
