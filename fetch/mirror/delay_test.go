package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/save"
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
	sum, err := mirror.Run(t.Context(), connected(t, serve), uri.MustParse("http://near.example/"), t.TempDir(),
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

// TestRateLimit: a host that accepts no more requests for a time gets none in it, from a mirror and from a list.
func TestRateLimit(t *testing.T) {
	const links, perWindow, window = 8, 3, 40 * time.Second
	root := uri.MustParse("http://h.example/")
	for name, run := range map[string]func(*testing.T, *fetch.Client, string) error{
		"mirror": func(t *testing.T, c *fetch.Client, dir string) error {
			_, err := mirror.Run(t.Context(), c, root, dir, nil)
			return err
		},
		"list": func(t *testing.T, c *fetch.Client, dir string) error {
			list := []uri.URI{root}
			for i := range links {
				list = append(list, root.Resolve(uri.MustParse(fmt.Sprintf("%d.txt", i))))
			}
			sum, err := batch.Run(t.Context(), batch.Items(list...), batch.Files(c, nil, &save.Options{Path: filepath.Join(dir, "x"), Force: true}),
				&batch.Options{PerHost: 2})
			return errors.Join(err, sum.First)
		},
	} {
		dir := t.TempDir()
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				left, reset, served := perWindow, time.Now().Add(window), 0
				c := connected(t, func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					if !time.Now().Before(reset) {
						left, reset = perWindow, time.Now().Add(window)
					}
					left--
					served++
					if left < 0 {
						t.Errorf("got request %d too early, %v before the server accepts it", served, time.Until(reset))
					}
					w.Header().Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, max(0, left), int(time.Until(reset).Seconds())))
					switch r.URL.Path {
					case "/robots.txt":
						http.NotFound(w, r)
					case "/":
						w.Header().Set("Content-Type", "text/html")
						for i := range links {
							fmt.Fprintf(w, "<a href=%d.txt>x</a>\n", i)
						}
					default:
						fmt.Fprint(w, "x")
					}
				})
				if err := run(t, c, dir); err != nil || served < links {
					t.Errorf("got %v and %d requests, want no error and at least %d", err, served, links)
				}
			})
		})
	}
}

// connected returns a client of one server in memory that has every name.
func connected(t *testing.T, serve http.HandlerFunc) *fetch.Client {
	opened := make(pipes)
	servers := http.Server{Handler: serve}
	go servers.Serve(opened)
	t.Cleanup(func() { servers.Close() })
	c := client(t)
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		opened <- far
		return near, nil
	}
	return c
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
