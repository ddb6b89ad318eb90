package http

import (
	"bufio"
	"net/textproto"
	"reflect"
	"strings"
	"testing"
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
		if _, ok := plainHead(in); ok != tt.plain {
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
	got, ok := plainHead(fast)
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
