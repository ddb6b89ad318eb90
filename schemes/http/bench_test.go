package http_test

import (
	"bufio"
	"context"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// keeper answers each request with one document of 2 KiB, and keeps the connection.
func keeper(b *testing.B) *loopback.Listener {
	b.Helper()
	answer := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Fri, 20 Nov 2026 14:25:04 GMT\r\nContent-Type: text/plain\r\nContent-Length: 2048\r\n" +
		"Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT\r\nConnection: keep-alive\r\nETag: \"-3c-e\"\r\nAccept-Ranges: bytes\r\n\r\n" + strings.Repeat("x", 2048))
	s, err := loopback.Listen("", func(c net.Conn) {
		for in := bufio.NewReader(c); ; {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == 2 {
				c.Write(answer)
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// BenchmarkSmallDocuments fetches one document after the other over one connection.
func BenchmarkSmallDocuments(b *testing.B) {
	s := keeper(b)
	c := fetch.New(http.Schemes(nil)...)
	c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return fetch.Login{}, nil } // as the command does
	defer c.Close()
	u := uri.MustParse("http://" + s.Addr() + "/small/d00001.txt")
	b.ReportAllocs()
	for b.Loop() {
		d, err := c.Get(context.Background(), u, nil)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, d.Body); n != 2048 || err != nil {
			b.Fatal(n, err)
		}
		d.Body.Close()
	}
	if s.Peers() != 1 {
		b.Errorf("got %d connections, want 1", s.Peers())
	}
}

// BenchmarkSmallDocumentsByNetHTTP fetches the same documents with the Transport of net/http, which this package does not use.
func BenchmarkSmallDocumentsByNetHTTP(b *testing.B) {
	s := keeper(b)
	t := &nethttp.Transport{DisableCompression: true}
	defer t.CloseIdleConnections()
	c := nethttp.Client{Transport: t}
	b.ReportAllocs()
	for b.Loop() {
		r, err := c.Get("http://" + s.Addr() + "/small/d00001.txt")
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r.Body); n != 2048 || err != nil {
			b.Fatal(n, err)
		}
		r.Body.Close()
	}
}
