package http_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/internal/mempipe"
	"example.org/deref/uri"
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

// drip writes the bytes one by one, slowly, but with no single silence that is too long.
func (w *teller) drip(b string) {
	for i := 0; i < len(b) && w.err == nil; i++ {
		w.raw(b[i])
		time.Sleep(hostileIdle / 20)
	}
}

// hostileIdle is short for the cases that end by it.
const hostileIdle = 500 * time.Millisecond

// teller2 is an HTTP/2 server over TLS that reads one request and calls tell to write the response. It closes the connection after the
// client, or on demand.
func teller2(t testing.TB, settings bool, tell func(w *teller)) (addr string, conf *tls.Config) {
	t.Helper()
	lender := httptest.NewUnstartedServer(nil)
	lender.StartTLS()
	cert := lender.TLS.Certificates
	lender.Close()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: cert, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			tellOne(c, settings, tell)
		}
	}()
	t.Cleanup(func() { ln.Close(); <-over })
	return ln.Addr().String(), &tls.Config{InsecureSkipVerify: true}
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

// Each misbehavior of an HTTP/2 server ends with an error of the right kind, within the deadlines, with little memory, and without leaking
// a goroutine.
func TestPromise5HostileHTTP2(t *testing.T) {
	var (
		broken  = []fetch.Kind{fetch.ErrProtocol}
		cut     = []fetch.Kind{fetch.ErrTruncated, fetch.ErrProtocol}
		tooMuch = []fetch.Kind{fetch.ErrLimit}
		late    = []fetch.Kind{fetch.ErrTimeout}
		huge    = strings.Repeat("x", 16<<10)
	)
	var waiting, others []hostileCase
	for _, tt := range []hostileCase{
		// Not HTTP/2.
		{"another protocol", broken, true, func(w *teller) { w.raw([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")...) }},
		{"nothing", []fetch.Kind{fetch.ErrTruncated, fetch.ErrConnection}, true, func(w *teller) {}},
		{"silence", late, true, func(w *teller) { io.Copy(io.Discard, w.conn) }},
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
		{"RST_STREAM for a request that was not looked at", broken, false,
			func(w *teller) { w.frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00\x07"); w.wait() }},
		{"a body that stops", late, false, func(w *teller) { w.ok(); w.data(0, "abc"); io.Copy(io.Discard, w.conn) }},

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
		if slices.Contains(tt.want, fetch.ErrTimeout) {
			waiting = append(waiting, tt)
		} else {
			others = append(others, tt)
		}
	}
	t.Run("at once", func(t *testing.T) { // the cases that end by a timeout
		before := goleak.IgnoreCurrent()
		t.Cleanup(func() { goleak.VerifyNone(t, before) })
		var all sync.WaitGroup
		defer all.Wait()
		for _, tt := range waiting {
			all.Go(func() { t.Run(tt.name, tt.run) })
		}
	})
	for _, tt := range others {
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
	addr, conf := teller2(t, !tt.bare, tt.tell)
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	c.TLS, c.Timeouts = conf, fetch.Timeouts{Idle: time.Minute, Total: 5 * time.Minute}
	if slices.Contains(tt.want, fetch.ErrTimeout) {
		c.Timeouts.Idle = hostileIdle
	}
	c.Limits.Reply = 128 << 10
	var m, after runtime.MemStats
	runtime.ReadMemStats(&m)
	d, err := c.Get(t.Context(), uri.MustParse("https://"+addr+"/"), &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
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
		addr, conf := teller2(t, true, func(w *teller) { tell(w); w.wait() })
		c := fetch.New(http.Schemes(nil)...)
		c.TLS = conf
		if _, body, err := get(t, c, "https://"+addr+"/", &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}); body != "abc" || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, body, err, "abc")
		}
		c.Close()
	}
}

// A slow reader, while the window is full, is not a timeout of the server. The document is read to its end.
func TestSlowReaderOfHTTP2(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for twice the idle timeout")
	}
	t.Parallel()
	const size = 12 << 20 // more than the window
	s := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.CopyN(w, zeros{}, size) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	c.TLS, c.Timeouts = &tls.Config{InsecureSkipVerify: true}, fetch.Timeouts{Idle: hostileIdle}
	d, err := c.Get(t.Context(), uri.MustParse(s.URL+"/"), &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	time.Sleep(2 * hostileIdle)
	if n, err := io.Copy(io.Discard, d.Body); n != size || err != nil {
		t.Errorf("got %d bytes, %v, want %d", n, err, size)
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
		ours, theirs := mempipe.New()
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
