package http

import (
	"bufio"
	nethttp "net/http"
	"net/textproto"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// slowHead is the parser for heads that plainHead does not parse.
func slowHead(in *bufio.Reader) (h head, err error) {
	t := textproto.NewReader(in)
	line, err := t.ReadLine()
	if err == nil {
		err = h.statusLine(line)
	}
	if err == nil {
		h.header, err = t.ReadMIMEHeader()
	}
	if err == nil {
		err = checkHeader(h.header)
	}
	return h, err
}

var heads = []struct {
	text  string
	plain bool
}{
	{"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 5\r\n\r\n", true},
	{"HTTP/1.1 200\r\n\r\n", true},
	{"HTTP/1.0 200 \r\nx-a:\r\nX-A: \t b c \t\r\nETAG: \"1\"\r\n\r\n", true},
	{"HTTP/1.1 200 OK\r\nÜ: 1\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA : 1\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\n A: 1\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA: 1\nB: 2\r\n\r\n", false},
	{"HTTP/1.1 200 OK\nA: 1\n\n", false},
	{"HTTP/1.1 200 OK\r\nA: 1\rB: 2\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA: 1\x00\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA: 1\x01\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA: \x7f\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\n: 1\r\n\r\n", false},
	{"HTTP/1.1 20 OK\r\n\r\n", false},
	{"HTTP/2.0 200 OK\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nA: 1\r\n", false},
}

func TestPlainHead(t *testing.T) {
	for _, tt := range heads {
		in := bufio.NewReader(strings.NewReader(tt.text + "body"))
		in.Peek(1)
		if _, ok := plainHead(in, nil); ok != tt.plain {
			t.Errorf("%q: got plain %v, want %v", tt.text, ok, tt.plain)
		}
		compareHeads(t, tt.text+"body")
	}
}

// compareHeads checks that plainHead returns the same as slowHead, and reads no more bytes.
func compareHeads(t *testing.T, text string) {
	t.Helper()
	fast, slow := bufio.NewReader(strings.NewReader(text)), bufio.NewReader(strings.NewReader(text))
	fast.Peek(1)
	got, ok := plainHead(fast, nil)
	if !ok {
		if left, _ := fast.Peek(len(text)); string(left) != text[:min(len(text), len(left))] {
			t.Errorf("%q: got %q left, want all", text, left)
		}
		return
	}
	want, err := slowHead(slow)
	if err != nil || !reflect.DeepEqual(got, want) || fast.Buffered() != slow.Buffered() {
		t.Errorf("%q:\n got %+v, %d bytes left\nwant %+v, %d bytes left, %v", text, got, fast.Buffered(), want, slow.Buffered(), err)
	}
}

func FuzzPlainHead(f *testing.F) {
	for _, tt := range heads {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareHeads(t, text) })
}

func TestTokenCharacters(t *testing.T) {
	for c := range 256 {
		want := c > ' ' && c < 0x7f && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, rune(c))
		if got := isToken(string([]byte{byte(c)})); got != want {
			t.Errorf("isToken(%q): got %v, want %v", []byte{byte(c)}, got, want)
		}
	}
}

// FuzzHead compares our parser of a response with that of net/http: what we accept has the same length as in net/http.
func FuzzHead(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
	f.Add("HTTP/1.0 304\nA: b\n c\n\n")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := readHead(bufio.NewReader(strings.NewReader(s)), nil)
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
