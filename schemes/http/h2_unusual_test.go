package http_test

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

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
