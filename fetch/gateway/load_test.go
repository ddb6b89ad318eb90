package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
)

// size is the size of a load test: small, unless the environment requests the full test:
//
//	DEREF_LOAD_CLIENTS=500 DEREF_LOAD_MIB=4096 go test ./fetch/gateway -run 'Slow|Long' -v
func size(t *testing.T, name string, little int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return little
	}
	return n
}

// endless serves documents whose names are their sizes. It continues after the first piece when allowed.
func endless(t *testing.T, goOn chan bool) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/"), 10, 64)
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
		for piece := make([]byte, 64<<10); n > 0; n -= int64(len(piece)) {
			if _, err := w.Write(piece[:min(n, int64(len(piece)))]); err != nil {
				return
			}
			if goOn != nil {
				w.(http.Flusher).Flush()
				<-goOn
			}
		}
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// heap returns the memory of the process for heap and stacks.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestLongDocument: memory does not grow with the length of a document, and its end is recognized.
func TestLongDocument(t *testing.T) {
	mib := size(t, "DEREF_LOAD_MIB", 32)
	l, origin := newLab(t, nil), endless(t, nil)
	before, most := heap(), int64(0)
	resp, err := http.Get(fmt.Sprintf("%s/http/%s/%d", l.URL, origin, int64(mib)<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := int64(0)
	for step := int64(mib) << 20 / 8; ; {
		n, err := io.CopyN(io.Discard, resp.Body, step)
		got += n
		most = max(most, heap()-before)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got != int64(mib)<<20 || most > 16<<20 {
		t.Errorf("got %d bytes, %d KiB of memory; want %v and most <= %v", got, most>>10, int64(mib)<<20, 16<<20)
	}
	t.Logf("%d MiB, at most %d KiB of memory more than before", mib, most>>10)
}

// TestSlowClients: many slow clients are all served, with little memory for each, without waiting for each other.
func TestSlowClients(t *testing.T) {
	clients := size(t, "DEREF_LOAD_CLIENTS", 40)
	const octets = 256 << 10
	goOn := make(chan bool) // the origin sends the rest only after all clients have connected
	l, origin := newLab(t, &gateway.Config{PerClient: clients}), endless(t, goOn)
	before := heap()
	var begun, done sync.WaitGroup
	for range clients {
		begun.Add(1)
		done.Go(func() {
			c, err := net.Dial("tcp", strings.TrimPrefix(l.URL, "http://"))
			if err != nil {
				t.Error(err)
				begun.Done()
				return
			}
			defer c.Close()
			c.(*net.TCPConn).SetReadBuffer(32 << 10)
			fmt.Fprintf(c, "GET http://%s/%d HTTP/1.0\r\n\r\n", origin, octets)
			first := make([]byte, 512)
			n, err := io.ReadFull(c, first)
			begun.Done()
			rest := int64(0)
			for err == nil { // a little at a time
				var m int64
				m, err = io.CopyN(io.Discard, c, 16<<10)
				rest += m
				loopback.Pause(2 * time.Millisecond)
			}
			if total := int64(n) + rest; err != io.EOF || total < octets || total > octets+1024 {
				t.Errorf("got %d bytes, %v; want %v, total >= %v and total <= %v", total, err, io.EOF, octets, octets+1024)
			}
		})
	}
	begun.Wait()
	most := heap() - before
	if resp, _ := l.ask(t, "/healthz", nil); resp.StatusCode != 429 { // all are being served, from one address
		t.Errorf("%d clients are not served at once: one more gets %s", clients, resp.Status)
	}
	close(goOn)
	done.Wait()
	if most > int64(clients)*400<<10 {
		t.Errorf("%d KiB of memory for each", most>>10/int64(clients))
	}
	t.Logf("%d clients at once, %d KiB of memory for each, origin, gateway and client together", clients, most>>10/int64(clients))
}

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
