package gophertest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

var errCut = errors.New("cut on purpose")

// A writer writes to one connection, with the faults.
type writer struct {
	s    *server
	c    net.Conn
	sent int64
	err  error
}

// Write writes p, or as much of it as the faults allow. After that it fails.
func (w *writer) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		if w.err != nil {
			return n, w.err
		}
		m := len(p) - n
		if w.s.f.Chunk > 0 {
			m = min(m, w.s.f.Chunk)
		}
		w.piece(p[n : n+m])
		n += m
	}
	return len(p), w.err
}

func (w *writer) piece(p []byte) {
	f := &w.s.f
	if !w.s.Net.Sleep(f.ChunkDelay) {
		w.err = io.ErrClosedPipe
		return
	}
	limit, what := int64(-1), func() {}
	switch {
	case f.CutAfter > 0 && w.sent+int64(len(p)) >= f.CutAfter:
		limit, what = f.CutAfter, w.cut
	case f.StallAfter > 0 && w.sent+int64(len(p)) >= f.StallAfter:
		limit, what = f.StallAfter, w.stall
	}
	if limit >= 0 {
		p = p[:limit-w.sent]
	}
	w.c.SetWriteDeadline(time.Now().Add(w.s.o.Idle))
	n, err := w.c.Write(p)
	w.sent += int64(n)
	w.err = err
	if err == nil {
		what()
	}
}

// cut makes all further writes fail. end closes the connection.
func (w *writer) cut() { w.err = errCut }

// stall waits until the client gives up.
func (w *writer) stall() {
	w.c.SetReadDeadline(time.Now().Add(w.s.o.Idle))
	io.Copy(io.Discard, w.c)
	w.err = errors.New("stalled until the client gave up")
}

// end closes the connection, which ends the document in gopher.
func (w *writer) end() {
	raw := w.c
	t, secure := w.c.(*tls.Conn)
	if secure {
		raw = t.NetConn()
	}
	if w.s.f.Reset || errors.Is(w.err, os.ErrDeadlineExceeded) { // an orderly close would make the response look complete
		loopback.Reset(raw)
		raw.Close()
		return
	}
	if secure && !w.s.f.NoCloseNotify && w.err == nil {
		t.CloseWrite() // takes at most five seconds
	}
	loopback.Finish(raw)
}
