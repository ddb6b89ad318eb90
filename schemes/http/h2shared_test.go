package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestRequestsShareAConnection(t *testing.T) {
	for _, tt := range []struct {
		name                              string
		protos                            []string
		streams, requests, most, connects int
		protocol                          string
	}{
		{"of a distant server", both, 250, 150, 128, 1, oneH2},
		{"within the server's limit", both, 7, 20, 7, 1, oneH2},
		{"unless it has only HTTP/1.1", onlyH1, 250, 20, 20, 20, oneH1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b busy
			inMemory(t, distant, tt.protos, handled(tt.streams, b.echo), func(s *site) {
				s.all(tt.requests, tt.protocol)
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

// A page of an error is not read. It leaves the window of the connection to the documents: 32 MB would be full of the pages.
func TestUnreadErrorsLeaveTheWindow(t *testing.T) {
	h := handled(250, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(nethttp.StatusNotFound)
			w.Write(make([]byte, 200<<10))
		case "/bad":
			w.Header()["Content-Range"] = []string{"bytes 0-9/10"}
			w.Header().Set("Content-Length", "200000")
			w.WriteHeader(nethttp.StatusPartialContent)
			w.Write(make([]byte, 200000))
		}
		io.WriteString(w, r.URL.Path)
	})
	inMemory(t, distant, both, h, func(s *site) {
		s.all(1, oneH2)
		defer s.begin("/held").Body.Close() // so that the connection is in use all the time
		for range 100 {
			for path, want := range map[string]fetch.Kind{"/missing": fetch.ErrNotFound, "/bad": fetch.ErrProtocol} {
				if _, err := s.get(s.t.Context(), path, nil); fetch.KindOf(err) != want {
					s.t.Fatalf("%s: got %v, want %s", path, err, want)
				}
			}
		}
		s.all(5, oneH2)
		s.opens(1)
	})
}

// A slow reader, while the window is full, is not a timeout of the server. The document is read to its end.
func TestSlowReaderOfHTTP2(t *testing.T) {
	const size = 12 << 20 // more than the window
	long := handled(250, func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.CopyN(w, zeros{}, size) })
	inMemory(t, distant, both, long, func(s *site) {
		d, err := s.c.Get(s.t.Context(), uri.MustParse("https://h.example/"), &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
		if err != nil {
			s.t.Fatal(err)
		}
		defer d.Body.Close()
		time.Sleep(2 * s.c.Timeouts.Idle)
		if n, err := io.Copy(io.Discard, d.Body); n != size || err != nil {
			s.t.Errorf("got %d bytes, %v, want %d", n, err, size)
		}
	})
}
