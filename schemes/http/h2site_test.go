package http_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

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

// A teller writes the frames of an HTTP/2 server, well formed or not. After the first error, when the client has closed the connection, it
// writes nothing.
type teller struct {
	*http2.Framer
	conn net.Conn
	gone <-chan struct{} // closed when the client has closed the connection
	held []byte          // of ever, until it is large enough
	much bool
	err  error
}

// raw writes raw bytes.
func (w *teller) raw(b ...byte) {
	switch {
	case w.much:
		w.held = append(w.held, b...)
	case w.err == nil:
		_, w.err = w.conn.Write(b)
	}
}

// frame writes a frame of any type, with any flags, on any stream.
func (w *teller) frame(kind http2.FrameType, flags http2.Flags, stream uint32, payload string) {
	w.raw(append(frameHead(len(payload), kind, flags, stream), payload...)...)
}

func frameHead(length int, kind http2.FrameType, flags http2.Flags, stream uint32) []byte {
	b := []byte{byte(length >> 16), byte(length >> 8), byte(length), byte(kind), byte(flags)}
	return binary.BigEndian.AppendUint32(b, stream)
}

// header writes a complete header on the stream of the request.
func (w *teller) header(flags http2.Flags, pairs ...string) {
	w.frame(http2.FrameHeaders, flags|http2.FlagHeadersEndHeaders, 1, block(pairs...))
}

// block returns a header in HPACK.
func block(pairs ...string) string {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.String()
}

func (w *teller) data(flags http2.Flags, s string) { w.frame(http2.FrameData, flags, 1, s) }

// ok begins a response.
func (w *teller) ok(pairs ...string) { w.header(0, append([]string{":status", "200"}, pairs...)...) }

// ever repeats it until the client closes the connection.
func (w *teller) ever(say func()) {
	for w.err == nil {
		w.held, w.much = w.held[:0], true
		for len(w.held) < 16<<10 {
			say()
		}
		w.much = false
		w.raw(w.held...)
	}
}

// hostileIdle is short for the cases that end by it.
const hostileIdle = 500 * time.Millisecond

// teller2 makes c connect to an HTTP/2 server over TLS in memory that reads one request and calls tell to write the response. It closes the
// connection after the client, or on demand.
func teller2(t testing.TB, c *fetch.Client, settings bool, tell func(w *teller)) {
	t.Helper()
	conf, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	conf.NextProtos, conf.SessionTicketsDisabled = []string{"h2"}, true // a ticket would wait for the client
	var served sync.WaitGroup
	t.Cleanup(served.Wait)
	c.TLS = &tls.Config{InsecureSkipVerify: true}
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		served.Go(func() { tellOne(tls.Server(theirs, conf), settings, tell) })
		return ours, nil
	}
}

func tellOne(c net.Conn, settings bool, tell func(w *teller)) {
	defer c.Close()
	w := &teller{Framer: http2.NewFramer(c, c), conn: c}
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	if settings && w.WriteSettings() != nil {
		return
	}
	for {
		f, err := w.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := f.(*http2.HeadersFrame); ok && h.HeadersEnded() {
			break
		}
	}
	deaf := make(chan struct{})
	w.gone = deaf
	go func() { // read the client's bytes, so that it never blocks
		defer close(deaf)
		io.Copy(io.Discard, c)
	}()
	tell(w)
	if w.err == nil {
		c.(interface{ CloseWrite() error }).CloseWrite()
	}
	<-deaf
}
