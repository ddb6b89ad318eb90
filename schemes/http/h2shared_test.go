package http_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/internal/mempipe"
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
			mine, its := mempipe.New()
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

func TestRequestsShareAConnection(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		rtt                     time.Duration
		protos                  []string
		streams, most, connects int
		protocol                string
	}{
		{"of a distant server", distant, both, 250, 100, 1, oneH2},
		{"within the server's limit", distant, both, 7, 7, 1, oneH2},
		{"unless it has only HTTP/1.1", distant, onlyH1, 250, 200, 200, oneH1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b busy
			inMemory(t, tt.rtt, tt.protos, handled(tt.streams, b.echo), func(s *site) {
				s.all(200, tt.protocol)
				s.opens(tt.connects)
				if b.most != tt.most {
					t.Errorf("got %d requests at a time, want %d", b.most, tt.most)
				}
				s.all(10, tt.protocol) // the connection is still there
				s.opens(tt.connects)
			})
		})
	}
}

// A near server gets several connections with HTTP/1.1: only the first request used HTTP/2. A large document, a trace and another identity
// have connections of their own, too.
func TestWhatSharesNoConnection(t *testing.T) {
	echo := handled(250, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/large" {
			w.Header().Set("Content-Length", fmt.Sprint(2<<20))
			w.Write(make([]byte, 2<<20))
			return
		}
		time.Sleep(time.Second)
		io.WriteString(w, r.URL.Path)
	})
	inMemory(t, 0, both, echo, func(s *site) {
		s.get(s.t.Context(), "/first", nil)
		s.all(8, oneH1)
		s.opens(9)
	})
	inMemory(t, distant, both, echo, func(s *site) {
		s.get(s.t.Context(), "/large", nil)
		s.all(8, oneH1)
		s.opens(9)
	})
	inMemory(t, distant, both, echo, func(s *site) {
		s.all(8, oneH2)
		for _, o := range []*fetch.Options{
			{Trace: func(fetch.Event) {}},
			{Login: fetch.Login{User: "u", Password: "p", Set: true}},
			{Set: map[string][]string{"http.header": {"A: b"}}},
		} {
			before := s.opened.Load()
			if _, err := s.get(s.t.Context(), "/x", o); err != nil || s.opened.Load() != before+1 {
				s.t.Errorf("got %v and %d connections, want one more than %d", err, s.opened.Load(), before)
			}
		}
		if d, err := s.c.Get(s.t.Context(), uri.MustParse("https://h.example/x"), nil); err != nil || d.Protocol != oneH1 {
			s.t.Errorf("without a Sharer: got %+v, %v, want %s", d, err, oneH1)
		} else {
			d.Body.Close()
		}
	})
}

// A request that ends early, by itself, its context or its deadline, leaves the connection to the others.
func TestAStreamEndsAlone(t *testing.T) {
	h := handled(250, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		io.WriteString(w, r.URL.Path)
		switch r.URL.Path {
		case "/stalls":
			nethttp.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/drips":
			for r.Context().Err() == nil {
				io.WriteString(w, "x")
				nethttp.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(5 * time.Second):
				}
			}
		}
	})
	inMemory(t, distant, both, h, func(s *site) {
		s.all(1, oneH2)
		var others sync.WaitGroup
		stop := make(chan struct{})
		others.Go(func() { // so that the connection is not silent
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(time.Second):
				}
				if _, err := s.get(s.t.Context(), "/other", nil); err != nil {
					s.t.Errorf("another request: %v", err)
				}
			}
		})
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		defer cancel()
		if _, err := s.get(ctx, "/stalls", nil); !errors.Is(err, context.DeadlineExceeded) {
			s.t.Errorf("its context: got %v, want %v", err, context.DeadlineExceeded)
		}
		began := time.Now()
		if _, err := s.get(s.t.Context(), "/stalls", nil); fetch.KindOf(err) != fetch.ErrTimeout || time.Since(began) != s.c.Timeouts.Idle {
			s.t.Errorf("its deadline: got %v after %v, want %s after %v", err, time.Since(began), fetch.ErrTimeout, s.c.Timeouts.Idle)
		}
		if _, err := s.get(s.t.Context(), "/drips", nil); fetch.KindOf(err) != fetch.ErrTimeout {
			s.t.Errorf("a few bytes: got %v, want %s", err, fetch.ErrTimeout)
		}
		s.begin("/stalls").Body.Close()
		close(stop)
		others.Wait()
		s.all(5, oneH2)
		s.opens(1)
	})
}

// frames is an HTTP/2 server, frame by frame.
type frames struct{ *http2.Framer }

func newFrames(c net.Conn) frames {
	io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
	f := frames{http2.NewFramer(c, c)}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.WriteSettings()
	return f
}

// request returns the stream and path of the next request, and 0 at the end of the connection.
func (f frames) request() (stream uint32, path string) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return 0, ""
		}
		if h, ok := frame.(*http2.MetaHeadersFrame); ok {
			return h.StreamID, h.PseudoValue("path")
		}
	}
}

// answer sends a response with the path as its body.
func (f frames) answer(stream uint32, path string) {
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(block(":status", "200")), EndHeaders: true})
	f.WriteData(stream, true, []byte(path))
}

// Requests that the server has not processed, because their streams are above that of GOAWAY, are repeated on one other connection. Others are
// not.
func TestUnprocessedRequestsAreRepeated(t *testing.T) {
	var mu sync.Mutex
	var answered []string
	serve := func(n int, c *tls.Conn) {
		f := newFrames(c)
		for {
			switch stream, path := f.request(); {
			case stream == 0:
				return
			case n == 1 && path == "/busy":
				f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
			case n == 1 && path == "/3":
				f.WriteGoAway(5, http2.ErrCodeNo, nil) // "/1" is in progress
				return
			case n > 1 || path == "/first":
				mu.Lock()
				answered = append(answered, path)
				mu.Unlock()
				f.answer(stream, path)
			}
		}
	}
	inMemory(t, distant, both, serve, func(s *site) {
		first := s.begin("/first")
		defer first.Body.Close()
		var busy *fetch.Error
		if _, err := s.get(s.t.Context(), "/busy", nil); !errors.As(err, &busy) || busy.Kind != fetch.ErrUnavailable || !busy.Busy {
			s.t.Errorf("a refused stream: got %v, want %s", err, fetch.ErrUnavailable)
		}
		var requests sync.WaitGroup
		results := make([]error, 3)
		for i := range results {
			requests.Go(func() { _, results[i] = s.get(s.t.Context(), fmt.Sprintf("/%d", i+1), nil) })
			synctest.Wait() // it has been sent
		}
		requests.Wait()
		if fetch.KindOf(results[0]) != fetch.ErrTruncated || results[1] != nil || results[2] != nil {
			s.t.Errorf("got %v, want %s and two documents", results, fetch.ErrTruncated)
		}
		slices.Sort(answered)
		if want := []string{"/2", "/3", "/first"}; !slices.Equal(answered, want) {
			s.t.Errorf("the server has answered %q, want %q", answered, want)
		}
		s.opens(2)
	})
}

// If nothing arrives on the connection, all its requests end, and later ones use another.
func TestASilentConnectionEndsAll(t *testing.T) {
	serve := func(n int, c *tls.Conn) {
		f := newFrames(c)
		for answers := 0; ; answers++ {
			stream, path := f.request()
			if stream == 0 {
				return
			}
			if n > 1 || answers == 0 {
				f.answer(stream, path)
			}
		}
	}
	inMemory(t, distant, both, serve, func(s *site) {
		first := s.begin("/first")
		var requests sync.WaitGroup
		for range 5 {
			requests.Go(func() {
				if _, err := s.get(s.t.Context(), "/x", nil); fetch.KindOf(err) != fetch.ErrTimeout {
					s.t.Errorf("got %v, want %s", err, fetch.ErrTimeout)
				}
			})
		}
		requests.Wait()
		first.Body.Close()
		s.all(3, oneH2)
		s.opens(2)
	})
}

// A request that has joined a connection opens none of its own, not even to another server: nobody would count it.
func TestAJoinedRequestOpensNoConnection(t *testing.T) {
	h := func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/moved" {
			nethttp.Redirect(w, r, "http://other.example/", nethttp.StatusFound)
			return
		}
		io.WriteString(w, r.URL.Path)
	}
	inMemory(t, distant, both, handled(250, h), func(s *site) {
		first := s.begin("/first")
		if _, err := s.get(s.t.Context(), "/moved", nil); fetch.KindOf(err) != fetch.ErrConnection {
			s.t.Errorf("got %v, want %s", err, fetch.ErrConnection)
		}
		first.Body.Close()
		s.opens(1)
	})
}
