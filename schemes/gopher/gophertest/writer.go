package gophertest

import (
	"crypto/tls"
	"errors"
	"os"

	"example.org/deref/fetch/fetchtest/loopback"
)

// A writer writes to one connection, with the faults.
type writer struct {
	loopback.CutWriter
	s *server
}

// end closes the connection, which ends the document in gopher.
func (w *writer) end() {
	raw := w.Conn
	t, secure := w.Conn.(*tls.Conn)
	if secure {
		raw = t.NetConn()
	}
	if w.s.f.Reset || errors.Is(w.Err, os.ErrDeadlineExceeded) { // an orderly close would make the response look complete
		loopback.Reset(raw)
		raw.Close()
		return
	}
	if secure && !w.s.f.NoCloseNotify && w.Err == nil {
		t.CloseWrite() // takes at most five seconds
	}
	loopback.Finish(raw)
}
