package http_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// A member is the fetch.Sharer of one request.
type member struct{ joined atomic.Bool }

func (m *member) Join()         { m.joined.Store(true) }
func (m *member) MayOpen() bool { return !m.joined.Load() }

// A site is a client with a TLS server in memory, a handshake of rtt away.
type site struct {
	t      *testing.T
	c      *fetch.Client
	conf   *tls.Config
	opened atomic.Int32
	open   atomic.Int32
}

// inMemory calls test with a site whose connections serve is called for.
func inMemory(t *testing.T, rtt time.Duration, protos []string, serve func(n int, c *tls.Conn), test func(*site)) {
	t.Helper()
	conf, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		conf.Time, conf.NextProtos = time.Now, protos
		conf.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { time.Sleep(rtt); return nil, nil }
		s := &site{t: t, c: fetch.New(http.Schemes(nil)...), conf: conf}
		s.c.TLS = &tls.Config{RootCAs: roots, InsecureSkipVerify: true}
		s.c.Timeouts.Idle = 10 * time.Second
		s.c.Dialer = func(context.Context, string, string) (net.Conn, error) {
			mine, its := fetchtest.Pipe()
			n := int(s.opened.Add(1))
			s.open.Add(1)
			go func() {
				defer s.open.Add(-1)
				defer its.Close()
				if c := tls.Server(its, conf); c.Handshake() == nil {
					serve(n, c)
				}
			}()
			return mine, nil
		}
		test(s)
		s.c.Close()
		synctest.Wait()
		if n := s.open.Load(); n != 0 {
			t.Errorf("%d connections are open after Close", n)
		}
	})
}

// handled serves a connection by net/http, with at most streams requests at a time.
func handled(streams int, h nethttp.HandlerFunc) func(int, *tls.Conn) {
	return func(_ int, c *tls.Conn) {
		ended := make(chan struct{})
		srv := &nethttp.Server{Handler: h, HTTP2: &nethttp.HTTP2Config{MaxConcurrentStreams: streams}, ConnState: func(_ net.Conn, s nethttp.ConnState) {
			if s == nethttp.StateClosed {
				close(ended)
			}
		}}
		go srv.Serve(&one{c: c, ended: ended})
		<-ended
		srv.Close()
	}
}

// one is a listener of one connection.
type one struct {
	c     net.Conn
	ended chan struct{}
}

func (l *one) Accept() (net.Conn, error) {
	if c := l.c; c != nil {
		l.c = nil
		return c, nil
	}
	<-l.ended
	return nil, net.ErrClosed
}
func (l *one) Close() error   { return nil }
func (l *one) Addr() net.Addr { return &net.TCPAddr{} }

// get returns "PROTOCOL BODY" of a path, or the error.
func (s *site) get(ctx context.Context, path string, o *fetch.Options) (string, error) {
	d, err := s.c.Get(fetch.WithSharer(ctx, &member{}), uri.MustParse("https://h.example"+path), o)
	if err != nil {
		return "", err
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	return d.Protocol + " " + string(b), err
}

// begin requests a document, without reading it.
func (s *site) begin(path string) *fetch.Document {
	s.t.Helper()
	d, err := s.c.Get(fetch.WithSharer(s.t.Context(), &member{}), uri.MustParse("https://h.example"+path), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// all gets /1 to /n at the same time, and reports failures.
func (s *site) all(n int, protocol string) {
	s.t.Helper()
	var requests sync.WaitGroup
	for i := range n {
		requests.Go(func() {
			want := fmt.Sprintf("%s /%d", protocol, i+1)
			if got, err := s.get(s.t.Context(), want[len(protocol)+1:], nil); got != want || err != nil {
				s.t.Errorf("got %.100q, %v, want %q", got, err, want)
			}
		})
	}
	requests.Wait()
}

func (s *site) opens(want int) {
	s.t.Helper()
	if got := int(s.opened.Load()); got != want {
		s.t.Errorf("got %d connections, want %d", got, want)
	}
}

// busy counts the requests at a time.
type busy struct {
	mu        sync.Mutex
	now, most int
}

func (b *busy) echo(w nethttp.ResponseWriter, r *nethttp.Request) {
	b.mu.Lock()
	b.now++
	b.most = max(b.most, b.now)
	b.mu.Unlock()
	time.Sleep(time.Second)
	b.mu.Lock()
	b.now--
	b.mu.Unlock()
	io.WriteString(w, r.URL.Path)
}

var (
	both   = []string{"h2", "http/1.1"}
	onlyH1 = []string{"http/1.1"}
)

const (
	distant = 20 * time.Millisecond
	oneH2   = "HTTP/2"
	oneH1   = "HTTP/1.1"
)
