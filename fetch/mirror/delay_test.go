package mirror_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
)

// TestCrawlDelay: the pause that robots.txt requests applies between any two requests to the host, even if both began before robots.txt was
// read.
func TestCrawlDelay(t *testing.T) { synctest.Test(t, crawlDelay) }

func crawlDelay(t *testing.T) {
	const delay = 300 * time.Millisecond
	var mu sync.Mutex
	var allowed time.Time // no request can begin earlier
	var times []time.Time
	serve := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host == "far.example" && r.URL.Path == "/robots.txt":
			for range 10_000 { // the other requests begin, and wait for it on a lock, which synctest.Wait does not recognize
				runtime.Gosched()
			}
			allowed = time.Now()
			fmt.Fprintf(w, "User-agent: *\nCrawl-delay: %g\n", delay.Seconds())
		case r.Host == "far.example":
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Now())
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "text/html")
			for i := range 5 {
				fmt.Fprintf(w, "<a href=http://far.example/%d.txt>x</a>\n", i)
			}
		}
	}
	opened := make(pipes)
	servers := http.Server{Handler: http.HandlerFunc(serve)}
	go servers.Serve(opened)
	defer servers.Close()
	c := client(t)
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		opened <- far
		return near, nil
	}
	sum, err := mirror.Run(t.Context(), c, uri.MustParse("http://near.example/"), t.TempDir(),
		&mirror.Options{SpanHosts: true, Batch: batch.Options{PerHost: 4}})
	if err != nil || sum.Failed > 0 {
		t.Fatalf("got %+v, %v, want no failure", sum, err)
	}
	if len(times) != 5 {
		t.Fatalf("got %d requests, want 5", len(times))
	}
	for i, at := range times {
		if after := at.Sub(allowed); after != time.Duration(i)*delay {
			t.Errorf("request %d came %v after robots.txt, want %v", i, after, time.Duration(i)*delay)
		}
	}
}

// pipes is a listener of connections in memory. Its Close has no effect on those.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }
