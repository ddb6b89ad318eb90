package http_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
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
