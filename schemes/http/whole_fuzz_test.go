package http_test

import (
	"bufio"
	"context"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// canned is a connection on which a response has already arrived, and then its end.
type canned struct{ io.Reader }

func (canned) Write(p []byte) (int, error)      { return len(p), nil }
func (canned) Close() error                     { return nil }
func (canned) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (canned) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (canned) SetDeadline(time.Time) error      { return nil }
func (canned) SetReadDeadline(time.Time) error  { return nil }
func (canned) SetWriteDeadline(time.Time) error { return nil }

// FuzzWhole compares how we read a complete response with net/http: a document that we return as complete has exactly the bytes that
// net/http reads without an error, with the same status. We may refuse more responses. The only ones that we accept in addition are named
// below.
func FuzzWhole(f *testing.F) {
	for _, s := range []string{
		ok + "Content-Length: 2\r\n\r\nhi", ok + "Content-Length: 2\r\n\r\nhi there", ok + "Content-Length: 3\r\n\r\nhi", ok + "\r\nhi",
		ok + "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nX: y\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n",
		ok + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nhi\r\n0\r\n\r\n", ok + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n", "HTTP/1.1 103 Hints\r\n\r\n" + ok + "Content-Length: 2, 2\r\n\r\nhi",
		"HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\nhi", ok + "A: b\r\n c\r\nContent-Length : 2\r\n\r\nhi",
		"HTTP/1.1 200\r\ncontent-length:\t2 \r\n\r\nhi",
	} {
		f.Add(s)
	}
	u := uri.MustParse("http://h.example/")
	known := http.Schemes(nil)
	f.Fuzz(func(t *testing.T, s string) {
		c := fetch.New(known...)
		defer c.Close()
		c.Policy.NoFollow = true
		c.Dialer = func(context.Context, string, string) (net.Conn, error) { return canned{strings.NewReader(s)}, nil }
		d, err := c.Get(context.Background(), u, nil)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(d.Body)
			d.Body.Close()
		}
		if err != nil {
			if fetch.KindOf(err) == "" {
				t.Errorf("got %v, want an error with a kind", err)
			}
			return
		}
		if d.Protocol == "HTTP/0.9" {
			if string(body) != s {
				t.Errorf("HTTP/0.9: got %q, want %q", body, s)
			}
			return
		}
		status, want, rest, err := byNetHTTP(s)
		if err != nil && strings.Contains(err.Error(), "bad Content-Length") && strings.Contains(err.Error(), ",") {
			if int64(len(body)) != d.Size {
				t.Errorf("got %d bytes, want %d, as announced", len(body), d.Size)
			}
			return // a list of equal lengths, which counts as one: RFC 9112 section 6.3 item 5
		}
		if err != nil && strings.Contains(err.Error(), "suspiciously long trailer") {
			return // net/http bounds it by its buffer
		}
		if err != nil && strings.Contains(err.Error(), "trailer") {
			// Trailers may end with LF alone, as fields may (RFC 9112 section 2.2), but net/http requires CR LF CR LF. With
			// these line ends it must accept them.
			lines := strings.ReplaceAll(strings.ReplaceAll(rest, "\r\n", "\n"), "\n", "\r\n")
			_, _, _, err = byNetHTTP(ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + lines)
		}
		if err != nil || status != d.Status || want != string(body) {
			t.Errorf("%d %q, net/http %d %q, %v", d.Status, body, status, want, err)
		}
	})
}

// byNetHTTP reads the final response as http.Transport does, and returns the rest.
func byNetHTTP(s string) (status int, body, rest string, err error) {
	in := bufio.NewReader(strings.NewReader(s))
	for {
		r, err := nethttp.ReadResponse(in, &nethttp.Request{Method: "GET"})
		if err != nil {
			return 0, "", "", err
		}
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode >= 200 {
			left, _ := io.ReadAll(in) // a string does not fail
			return r.StatusCode, string(b), string(left), err
		}
	}
}
