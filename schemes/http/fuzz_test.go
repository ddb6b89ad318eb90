package http

import (
	"bufio"
	nethttp "net/http"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// FuzzHead holds our reading of an answer against net/http's: what we accept has the length that net/http gives it.
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
			t.Errorf("no kind: %v", err)
		}
	})
}

func sameAsNetHTTP(t *testing.T, s string, h head, size int64) {
	r, err := nethttp.ReadResponse(bufio.NewReader(strings.NewReader(s)), nil)
	if err != nil {
		if !strings.Contains(err.Error(), "Trailer") && !strings.Contains(err.Error(), "trailer") {
			t.Fatalf("net/http refuses: %v", err)
		}
		return
	}
	isChunked := len(r.TransferEncoding) > 0
	switch {
	case h.status == 204 || h.status == 304:
	case isChunked != (size == chunked), !isChunked && size >= 0 && r.ContentLength != size, !isChunked && size == untilClose && r.ContentLength >= 0:
		t.Errorf("%d, net/http %d %v", size, r.ContentLength, r.TransferEncoding)
	}
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 0-4/5")
	f.Add("bytes */5")
	f.Fuzz(func(t *testing.T, s string) {
		from, to, size, ok := contentRange([]string{s})
		if ok && from >= 0 && (to <= from || size >= 0 && to > size) {
			t.Errorf("%q: %d %d %d", s, from, to, size)
		}
	})
}

// FuzzTarget: what is sent is one word of printable ASCII, and says the same octets.
func FuzzTarget(f *testing.F) {
	f.Add("/a b%20\xff\"?c#d")
	f.Fuzz(func(t *testing.T, s string) {
		w := escape(s)
		if strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r > '~' }) || escape(w) != w {
			t.Errorf("%q: %q", s, w)
		}
		if !strings.Contains(s, "%") && uri.Escaped(w).Decode() != s {
			t.Errorf("%q: %q", s, w)
		}
	})
}
