package http_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// Each misbehavior of an HTTP/2 server, also on a connection that can be shared, ends with an error of the right kind, within the deadlines, with little memory, and without leaking
// a goroutine.
func TestPromise5HostileHTTP2(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for deadlines")
	}
	var (
		broken  = []fetch.Kind{fetch.ErrProtocol}
		cut     = []fetch.Kind{fetch.ErrTruncated, fetch.ErrProtocol}
		tooMuch = []fetch.Kind{fetch.ErrLimit}
		late    = []fetch.Kind{fetch.ErrTimeout}
		huge    = strings.Repeat("x", 16<<10)
	)
	for _, tt := range []hostileCase{
		// Not HTTP/2.
		{"another protocol", broken, true, func(w *teller) { w.raw([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")...) }},
		{"nothing", []fetch.Kind{fetch.ErrTruncated, fetch.ErrConnection}, true, func(w *teller) {}},
		{"silence", late, true, func(w *teller) { <-w.gone }},
		{"no SETTINGS", broken, true, func(w *teller) { w.ok() }},
		{"a frame that is too long", broken, false, func(w *teller) { w.raw(frameHead(1<<24-1, http2.FrameData, 0, 1)...); w.wait() }},
		{"noise", broken, true, func(w *teller) { w.raw(bytes.Repeat([]byte{0xff}, 100)...) }},

		// Headers.
		{"HEADERS on stream 0", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 0, block(":status", "200")) }},
		{"HEADERS on a stream of the server's", cut, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 2, block(":status", "200")) }},
		{"HEADERS on a stream that is not open", late, false,
			func(w *teller) { w.frame(http2.FrameHeaders, 4, 9, block(":status", "200")); w.wait() }},
		{"CONTINUATION of nothing", broken, false, func(w *teller) { w.frame(http2.FrameContinuation, 4, 1, "") }},
		{"another frame within a header", broken, false, func(w *teller) {
			w.frame(http2.FrameHeaders, 0, 1, "")
			w.frame(http2.FramePing, 0, 0, "12345678")
		}},
		{"CONTINUATION without end", tooMuch, false, func(w *teller) {
			w.frame(http2.FrameHeaders, 0, 1, block(":status", "200"))
			w.ever(func() { w.frame(http2.FrameContinuation, 0, 1, block("a", "b")) })
		}},
		{"CONTINUATION without end or bytes", tooMuch, false, func(w *teller) {
			w.frame(http2.FrameHeaders, 0, 1, block(":status", "200"))
			w.ever(func() { w.frame(http2.FrameContinuation, 0, 1, "") })
		}},
		{"CONTINUATION without end after a bad field", []fetch.Kind{fetch.ErrProtocol, fetch.ErrLimit}, false, func(w *teller) {
			w.frame(http2.FrameHeaders, 0, 1, block(":status", "200", "A", "b"))
			w.ever(func() { w.frame(http2.FrameContinuation, 0, 1, block("a", huge)) })
		}},
		{"a header that does not end", late, false, func(w *teller) {
			w.drip(string(frameHead(10000, http2.FrameHeaders, 4, 1)) + strings.Repeat("\x88", 10000))
		}},
		{"a header that is too long", tooMuch, false, func(w *teller) {
			w.frame(http2.FrameHeaders, 0, 1, block(":status", "200"))
			for range 200 {
				w.frame(http2.FrameContinuation, 0, 1, block("a", huge))
			}
			w.frame(http2.FrameContinuation, 4, 1, "")
			w.wait()
		}},
		{"few bytes that are a long header", []fetch.Kind{fetch.ErrLimit, fetch.ErrProtocol}, false, func(w *teller) {
			first := block(":status", "200", "a", strings.Repeat("y", 3000))
			w.frame(http2.FrameHeaders, 0, 1, first)
			for range 20 {
				w.frame(http2.FrameContinuation, 0, 1, strings.Repeat("\xbe", 16000))
			}
			w.frame(http2.FrameContinuation, 4, 1, "")
			w.wait()
		}},
		{"an index of nothing", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 1, "\x88\xff\xff\x7f") }},
		{"index 0", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 1, "\x80") }},
		{"a number without end", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 1, strings.Repeat("\xff", 1000)) }},
		{"a string longer than its frame", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 1, "\x88\x00\x7f\xff\xff\xff\x7f") }},
		{"Huffman's code broken", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 1, "\x88\x00\x84\xff\xff\xff\xff\x01a") }},
		{"a table of 4 GiB", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4, 1, "\x3f\xe1\xff\xff\xff\x0f\x88") }},
		{"padding longer than the frame", broken, false, func(w *teller) { w.frame(http2.FrameHeaders, 4|8, 1, "\xff\x88") }},
		{"a stream that depends on itself", broken, false, func(w *teller) { w.frame(http2.FramePriority, 0, 1, "\x00\x00\x00\x01"); w.wait() }},
		{"no status", broken, false, func(w *teller) { w.header(1, "a", "b"); w.wait() }},
		{"a status of letters", broken, false, func(w *teller) { w.header(1, ":status", "abc"); w.wait() }},
		{"status 0", broken, false, func(w *teller) { w.header(1, ":status", "000"); w.wait() }},
		{"status 20", broken, false, func(w *teller) { w.header(1, ":status", "20"); w.wait() }},
		{"status -200", broken, false, func(w *teller) { w.header(1, ":status", "-200"); w.wait() }},
		{"status +200", broken, false, func(w *teller) { w.header(1, ":status", "+200"); w.wait() }},
		{"status 1000", broken, false, func(w *teller) { w.header(1, ":status", "1000"); w.wait() }},
		{"two statuses", broken, false, func(w *teller) { w.header(1, ":status", "200", ":status", "404"); w.wait() }},
		{"a status after a field", broken, false, func(w *teller) { w.header(1, "a", "b", ":status", "200"); w.wait() }},
		{"the fields of a request", broken, false, func(w *teller) { w.header(1, ":status", "200", ":path", "/"); w.wait() }},
		{"capitals in a name", broken, false, func(w *teller) { w.header(1, ":status", "200", "Age", "1"); w.wait() }},
		{"a line end in a value", broken, false, func(w *teller) { w.header(1, ":status", "200", "a", "b\r\nSet-Cookie: c=d"); w.wait() }},
		{"NUL in a value", broken, false, func(w *teller) { w.header(1, ":status", "200", "a", "b\x00"); w.wait() }},
		{"an empty name", broken, false, func(w *teller) { w.header(1, ":status", "200", "", "b"); w.wait() }},
		{"a blank in a name", broken, false, func(w *teller) { w.header(1, ":status", "200", "a b", "c"); w.wait() }},

		// Interim responses.
		{"103 without end", []fetch.Kind{fetch.ErrLimit, fetch.ErrProtocol}, false,
			func(w *teller) { w.ever(func() { w.header(0, ":status", "103", "link", "</a>") }) }},
		{"100 that ends the stream", broken, false, func(w *teller) { w.header(1, ":status", "100"); w.wait() }},
		{"101", []fetch.Kind{fetch.ErrProtocol, fetch.ErrTimeout}, false, func(w *teller) { w.header(0, ":status", "101"); w.wait() }},
		{"103, then DATA", broken, false, func(w *teller) { w.header(0, ":status", "103"); w.data(1, "x"); w.wait() }},
		{"PUSH_PROMISE", broken, false, func(w *teller) { w.frame(http2.FramePushPromise, 4, 1, "\x00\x00\x00\x02"+block(":method", "GET")) }},

		// Frames about the connection.
		{"SETTINGS without end", tooMuch, false,
			func(w *teller) { w.ever(func() { w.frame(http2.FrameSettings, 0, 0, "\x00\x05\x00\x00\x40\x00") }) }},
		{"SETTINGS without end in the body", tooMuch, false,
			func(w *teller) { w.ok(); w.data(0, "x"); w.ever(func() { w.frame(http2.FrameSettings, 0, 0, "") }) }},
		{"SETTINGS of 5 bytes", broken, false, func(w *teller) { w.frame(http2.FrameSettings, 0, 0, "12345") }},
		{"SETTINGS on a stream", broken, false, func(w *teller) { w.frame(http2.FrameSettings, 0, 1, "") }},
		{"an answer to SETTINGS that nobody sent", broken, false, func(w *teller) {
			w.frame(http2.FrameSettings, 1, 0, "")
			w.frame(http2.FrameSettings, 1, 0, "")
			w.wait()
		}},
		{"a window beyond 2³¹", broken, false, func(w *teller) { w.frame(http2.FrameSettings, 0, 0, "\x00\x04\xff\xff\xff\xff") }},
		{"frames of 0 bytes", broken, false, func(w *teller) { w.frame(http2.FrameSettings, 0, 0, "\x00\x05\x00\x00\x00\x00") }},
		{"PING without end", tooMuch, false, func(w *teller) { w.ever(func() { w.frame(http2.FramePing, 0, 0, "12345678") }) }},
		{"PING without end in the body", tooMuch, false,
			func(w *teller) { w.ok(); w.data(0, "x"); w.ever(func() { w.frame(http2.FramePing, 0, 0, "12345678") }) }},
		{"PING now and then in the body", late, false, func(w *teller) {
			w.ok()
			w.data(0, "x")
			w.drip(strings.Repeat(string(frameHead(8, http2.FramePing, 0, 0))+"12345678", 1000))
		}},
		{"PING of 7 bytes", broken, false, func(w *teller) { w.frame(http2.FramePing, 0, 0, "1234567") }},
		{"unknown frames without end", tooMuch, false, func(w *teller) { w.ever(func() { w.frame(0xfa, 0, 0, huge) }) }},
		{"unknown frames without end in the body", tooMuch, false, func(w *teller) { w.ok(); w.ever(func() { w.frame(0xfa, 0xff, 1, huge) }) }},
		{"PRIORITY without end in the body", tooMuch, false,
			func(w *teller) { w.ok(); w.ever(func() { w.frame(http2.FramePriority, 0, 1, "\x00\x00\x00\x00\x01") }) }},
		{"a window grown by nothing", broken, false, func(w *teller) { w.frame(http2.FrameWindowUpdate, 0, 1, "\x00\x00\x00\x00"); w.wait() }},
		{"a window grown beyond 2³¹", broken, false, func(w *teller) {
			w.frame(http2.FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff")
			w.frame(http2.FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff")
			w.wait()
		}},
		{"windows that grow without end in the body", tooMuch, false,
			func(w *teller) { w.ok(); w.ever(func() { w.frame(http2.FrameWindowUpdate, 0, 9, "\x00\x00\x00\x01") }) }},
		{"GOAWAY", []fetch.Kind{fetch.ErrProtocol, fetch.ErrTruncated}, false,
			func(w *teller) { w.frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x0bcalm down") }},
		{"GOAWAY without end", tooMuch, false, func(w *teller) {
			w.ever(func() { w.frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x01\x00\x00\x00\x00") })
		}},
		{"GOAWAY without end in the body", tooMuch, false, func(w *teller) {
			w.ok()
			w.data(0, "x")
			w.ever(func() { w.frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x01\x00\x00\x00\x00") })
		}},
		{"GOAWAY of 3 bytes", broken, false, func(w *teller) { w.frame(http2.FrameGoAway, 0, 0, "abc") }},

		// Bodies.
		{"DATA before HEADERS", broken, false, func(w *teller) { w.data(1, "x"); w.wait() }},
		{"DATA on stream 0", broken, false, func(w *teller) { w.ok(); w.frame(http2.FrameData, 0, 0, "x") }},
		{"DATA on a stream that is not open", broken, false, func(w *teller) { w.ok(); w.frame(http2.FrameData, 0, 3, "x"); w.wait() }},
		{"DATA without end or bytes", tooMuch, false, func(w *teller) { w.ok(); w.ever(func() { w.data(0, "") }) }},
		{"padding without end", tooMuch, false, func(w *teller) { w.ok(); w.ever(func() { w.data(8, "\xff"+strings.Repeat("\x00", 255)) }) }},
		{"padding longer than DATA", broken, false, func(w *teller) { w.ok(); w.data(8, "\x05abc") }},
		{"less than Content-Length", cut, false, func(w *teller) { w.ok("content-length", "5"); w.data(1, "abc") }},
		{"more than Content-Length", cut, false, func(w *teller) { w.ok("content-length", "2"); w.data(1, "abc"); w.wait() }},
		{"two lengths", broken, false, func(w *teller) { w.ok("content-length", "2", "content-length", "3"); w.data(1, "abc") }},
		{"a length that is none", broken, false, func(w *teller) { w.ok("content-length", "-1"); w.data(1, "abc") }},
		{"the length twice, and another body", broken, false,
			func(w *teller) { w.ok("content-length", "2", "content-length", "2"); w.data(1, "abc") }},
		{"a list of lengths", broken, false, func(w *teller) { w.ok("content-length", "2, 3"); w.data(1, "abc") }},
		{"a length of no body", cut, false, func(w *teller) { w.header(1, ":status", "200", "content-length", "5"); w.wait() }},
		{"the end of the connection", cut, false, func(w *teller) { w.ok(); w.data(0, "abc") }},
		{"the end within a frame", cut, false, func(w *teller) { w.ok(); w.raw(append(frameHead(9, http2.FrameData, 1, 1), "abc"...)...) }},
		{"RST_STREAM", []fetch.Kind{fetch.ErrTruncated}, false, func(w *teller) {
			w.ok()
			w.data(0, "abc")
			w.frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00\x02")
			w.wait()
		}},
		{"RST_STREAM without an error", []fetch.Kind{fetch.ErrTruncated}, false, func(w *teller) {
			w.ok()
			w.data(0, "abc")
			w.frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00\x00")
			w.wait()
		}},
		{"GOAWAY and the end in the body", []fetch.Kind{fetch.ErrTruncated}, false, func(w *teller) {
			w.ok()
			w.data(0, "abc")
			w.frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x01\x00\x00\x00\x02")
		}},
		{"GOAWAY below the stream in the body", []fetch.Kind{fetch.ErrTruncated}, false, func(w *teller) {
			w.ok()
			w.data(0, "abc")
			w.frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x02")
			w.wait()
		}},
		{"RST_STREAM for a request that was not looked at", []fetch.Kind{fetch.ErrUnavailable}, false,
			func(w *teller) { w.frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00\x07"); w.wait() }},
		{"a body that stops", late, false, func(w *teller) { w.ok(); w.data(0, "abc"); <-w.gone }},

		// Trailers.
		{"a trailer that does not end the stream", broken, false, func(w *teller) { w.ok(); w.data(0, "abc"); w.header(0, "a", "b"); w.wait() }},
		{"a status in the trailer", broken, false, func(w *teller) { w.ok(); w.data(0, "abc"); w.header(1, ":status", "200"); w.wait() }},
		{"a trailer without end", tooMuch, false, func(w *teller) {
			w.ok()
			w.data(0, "abc")
			w.frame(http2.FrameHeaders, 1, 1, block("a", "b"))
			w.ever(func() { w.frame(http2.FrameContinuation, 0, 1, "") })
		}},
		{"a trailer that is too long", []fetch.Kind{fetch.ErrLimit, fetch.ErrProtocol}, false, func(w *teller) {
			w.ok()
			w.data(0, "abc")
			w.frame(http2.FrameHeaders, 1, 1, "")
			for range 200 {
				w.frame(http2.FrameContinuation, 0, 1, block("a", huge))
			}
			w.frame(http2.FrameContinuation, 4, 1, "")
			w.wait()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			tt.run(t)
		})
	}
}

// A hostileCase is one misbehavior of a server.
type hostileCase struct {
	name string
	want []fetch.Kind // one of them
	bare bool         // the server does not begin with SETTINGS
	tell func(w *teller)
}

func (tt hostileCase) run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt.request(t, t.Context())
		tt.request(t, fetch.WithSharer(t.Context(), &member{}))
	})
}

func (tt hostileCase) request(t *testing.T, ctx context.Context) {
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	teller2(t, c, !tt.bare, tt.tell)
	c.Timeouts = fetch.Timeouts{Idle: time.Minute, Total: 5 * time.Minute}
	if slices.Contains(tt.want, fetch.ErrTimeout) {
		c.Timeouts.Idle = hostileIdle
	}
	c.Limits.Reply = 16 << 10
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // garbage counts below
	var m, after runtime.MemStats
	runtime.ReadMemStats(&m)
	d, err := c.Get(ctx, uri.MustParse("https://h/"), &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
	if err == nil {
		_, err = io.Copy(io.Discard, d.Body)
		d.Body.Close()
	}
	runtime.ReadMemStats(&after)
	if got := fetch.KindOf(err); !slices.Contains(tt.want, got) {
		t.Errorf("%v (%q), want %q", err, got, tt.want)
	}
	if n := after.HeapInuse; n > m.HeapInuse+32<<20 {
		t.Errorf("the heap grew by %d MiB, want at most 32", (n-m.HeapInuse)>>20)
	}
}

// drip writes the bytes one by one, slowly, but with no single silence that is too long.
func (w *teller) drip(b string) {
	for i := 0; i < len(b) && w.err == nil; i++ {
		w.raw(b[i])
		time.Sleep(hostileIdle / 20)
	}
}

// wait leaves the connection open until the client closes it.
func (w *teller) wait() {
	for w.err == nil {
		select {
		case <-w.gone:
			return
		case <-time.After(hostileIdle / 20):
			w.frame(0xfa, 0, 0, "") // an unknown type (RFC 9113 section 4.1: it is ignored)
		}
	}
}
