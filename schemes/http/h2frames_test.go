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
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

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

// A heldConn returns what arrives only after release. Like a socket, it loses that if it is closed before.
type heldConn struct {
	net.Conn
	hold    atomic.Bool
	release chan struct{}
	closed  atomic.Bool
}

func (c *heldConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.hold.Load() {
		<-c.release
	}
	if c.closed.Load() {
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *heldConn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// A request that cannot be written, since the server has closed the connection, does not hide the GOAWAY that has arrived, but is not read yet.
func TestGoAwayBeforeAWriteThatFails(t *testing.T) {
	serve := func(n int, c *tls.Conn) {
		f := newFrames(c)
		for {
			switch stream, path := f.request(); {
			case stream == 0:
				return
			case n == 1 && path == "/1":
				f.WriteGoAway(stream, http2.ErrCodeNo, nil)
				return
			default:
				f.answer(stream, path)
			}
		}
	}
	inMemory(t, distant, both, serve, func(s *site) {
		held := &heldConn{release: make(chan struct{})}
		dial := s.c.Dialer
		s.c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dial(ctx, network, addr)
			if held.Conn == nil {
				held.Conn = c
				return held, err
			}
			return c, err
		}
		s.begin("/first").Body.Close()
		held.hold.Store(true)
		var requests sync.WaitGroup
		results := make([]error, 3) // TCP accepts the second request, as the server has just closed
		for i := range results {
			requests.Go(func() { _, results[i] = s.get(s.t.Context(), fmt.Sprintf("/%d", i+1), nil) })
			synctest.Wait()
		}
		close(held.release)
		requests.Wait()
		if fetch.KindOf(results[0]) != fetch.ErrTruncated || results[1] != nil || results[2] != nil {
			s.t.Errorf("got %v, want %s, and documents from another connection", results, fetch.ErrTruncated)
		}
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

// Rare but valid forms of HTTP/2 are accepted.
func TestUnusualHTTP2(t *testing.T) {
	for name, tell := range map[string]func(w *teller){
		"empty DATA at the end": func(w *teller) { w.ok(); w.data(0, "abc"); w.data(1, "") },
		"padding":               func(w *teller) { w.ok(); w.data(8, "\x02ab\x00\x00"); w.data(9, "\x00c") },
		"a trailer":             func(w *teller) { w.ok(); w.data(0, "abc"); w.header(1, "a", "b") },
		"103":                   func(w *teller) { w.header(0, ":status", "103", "link", "</a>"); w.ok(); w.data(1, "abc") },
		"the length twice":      func(w *teller) { w.ok("content-length", "3", "content-length", "3"); w.data(1, "abc") },
		"PING, SETTINGS, other": func(w *teller) {
			w.ok()
			w.WritePing(false, [8]byte{})
			w.WriteSettings()
			w.frame(0xfa, 0, 0, "x")
			w.data(1, "abc")
		},
		"GOAWAY after it":     func(w *teller) { w.ok(); w.WriteGoAway(1, 0, nil); w.data(1, "abc") },
		"RST_STREAM after it": func(w *teller) { w.ok(); w.data(1, "abc"); w.WriteRSTStream(1, 0) },
		"byte by byte": func(w *teller) {
			w.ok()
			for _, b := range append(frameHead(8, http2.FrameData, 9, 1), "\x04abc\x00\x00\x00\x00"...) {
				w.raw(b)
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := fetch.New(http.Schemes(nil)...)
			defer c.Close()
			teller2(t, c, true, func(w *teller) { tell(w); w.wait() })
			if _, body, err := get(t, c, "https://h/", &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}); body != "abc" || err != nil {
				t.Errorf("%s: got %q, %v, want %q", name, body, err, "abc")
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// FuzzHTTP2 sends any bytes to net/http's HTTP/2 through the guard: nothing panics, every error has a kind, and it ends.
func FuzzHTTP2(f *testing.F) {
	answer := string(frameHead(1, http2.FrameHeaders, 4, 1)) + "\x88"
	for _, s := range []string{
		answer + string(frameHead(3, http2.FrameData, 1, 1)) + "abc",
		answer + string(frameHead(5, http2.FrameData, 9, 1)) + "\x02ab\x00\x00",
		string(frameHead(9, http2.FrameHeaders, 5, 1)) + "\x88\x00\x01a\x01b\xbe\x0f\x0d",
		answer + string(frameHead(0, http2.FrameHeaders, 1, 1)) + string(frameHead(5, http2.FrameContinuation, 4, 1)) + "\x00\x01a\x01b",
		string(frameHead(6, http2.FrameSettings, 0, 0)) + "\x00\x04\x00\x00\x00\x00" + string(frameHead(8, http2.FramePing, 0, 0)) + "12345678" + answer,
		answer + string(frameHead(4, http2.FrameRSTStream, 0, 1)) + "\x00\x00\x00\x08" + string(frameHead(8, http2.FrameGoAway, 0, 0)) + "\x00\x00\x00\x01\x00\x00\x00\x00",
	} {
		f.Add(s)
	}
	known := http.Schemes(nil)
	f.Fuzz(func(t *testing.T, s string) {
		c := fetch.New(known...)
		defer c.Close()
		c.Timeouts = fetch.Timeouts{Idle: 5 * time.Second, Total: 20 * time.Second}
		ours, theirs := fetchtest.Pipe()
		c.Dialer = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
		over := make(chan struct{})
		go func() {
			defer close(over)
			tellOne(theirs, true, func(w *teller) { w.raw([]byte(s)...) })
		}()
		d, err := c.Get(t.Context(), uri.MustParse("http://h/"), &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
		if err == nil {
			_, err = io.Copy(io.Discard, d.Body)
			d.Body.Close()
		}
		if err != nil && (fetch.KindOf(err) == "" || fetch.KindOf(err) == fetch.ErrTimeout) {
			t.Errorf("got %v of kind %q, want a kind other than timeout", err, fetch.KindOf(err))
		}
		c.Close()
		ours.Close() // if it was never dialed
		<-over
	})
}
