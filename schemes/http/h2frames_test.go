package http_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
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
