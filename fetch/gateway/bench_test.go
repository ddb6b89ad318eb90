package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
)

// BenchmarkProxy measures a document of 1 KiB through the proxy, with 20 clients that keep their connections.
//
//	go test ./fetch/gateway -run '^$' -bench Proxy -benchmem
func BenchmarkProxy(b *testing.B) {
	origin := listening(b, func(in *bufio.Reader, c net.Conn) {
		response := "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Tue, 20 Dec 1994 12:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n" +
			"Last-Modified: Mon, 19 Dec 1994 12:00:00 GMT\r\nETag: \"1024\"\r\n\r\n" + strings.Repeat("x", 1024)
		for skipLines(in) == nil {
			io.WriteString(c, response)
		}
	})
	c := fetch.New(schemes.All(nil)...)
	b.Cleanup(func() { c.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	served := make(chan error, 1)
	go func() { served <- gateway.Serve(ctx, l, gateway.New(c, nil)) }()
	b.Cleanup(func() { cancel(); <-served })
	request := "GET http://" + origin + "/1k.txt HTTP/1.1\r\nHost: " + origin + "\r\nUser-Agent: bench\r\n\r\n"
	b.ReportAllocs()
	b.SetParallelism(max(1, 20/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for pb.Next() {
			io.WriteString(conn, request)
			status, _ := in.ReadString('\n')
			if err := skipLines(in); err != nil || status != "HTTP/1.1 200 OK\r\n" {
				b.Errorf("got %q, %v; want 200", status, err)
				return
			}
			in.Discard(1024)
		}
	})
}

// skipLines reads the rest of a head, up to the empty line.
func skipLines(in *bufio.Reader) error {
	for {
		if line, err := in.ReadSlice('\n'); err != nil || len(line) <= 2 {
			return err
		}
	}
}

// listening serves each connection with a function, and returns the address.
func listening(b *testing.B, serve func(in *bufio.Reader, c net.Conn)) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(bufio.NewReader(c), c)
			}()
		}
	}()
	return l.Addr().String()
}
