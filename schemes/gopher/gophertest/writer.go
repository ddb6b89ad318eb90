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
func (w *writer) Write(p []byte) (n int, err error) {
	if w.err != nil {
		return 0, w.err
	}
	f := &w.s.f
	reaches := func(limit int64) bool { return limit > 0 && w.sent+int64(len(p)) >= limit }
	cut, stall := reaches(f.CutAfter), reaches(f.StallAfter)
	switch {
	case cut:
		p = p[:f.CutAfter-w.sent]
	case stall:
		p = p[:f.StallAfter-w.sent]
	}
	w.c.SetWriteDeadline(time.Now().Add(w.s.o.Idle))
	n, w.err = w.c.Write(p)
	w.sent += int64(n)
	switch {
	case w.err != nil:
	case cut:
		w.err = errCut
	case stall:
		w.stall()
	}
	return n, w.err
}

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
