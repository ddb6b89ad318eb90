package loopback

import (
	"errors"
	"io"
	"net"
	"time"
)

// ErrCut is the error of a CutWriter that has reached its end.
var ErrCut = errors.New("cut on purpose")

// A CutWriter writes to a connection, and fails as the Faults of a server say.
type CutWriter struct {
	Conn  net.Conn
	Idle  time.Duration // for each Write, and for a client to give up
	Cut   int64         // > 0: ErrCut after n bytes
	Stall int64         // > 0: nothing is sent after n bytes
	Sent  int64
	Err   error // of the Write that failed; all later ones do, too
}

// Write writes p, or as much of it as Cut and Stall allow.
func (w *CutWriter) Write(p []byte) (n int, err error) {
	if w.Err != nil {
		return 0, w.Err
	}
	reaches := func(limit int64) bool { return limit > 0 && w.Sent+int64(len(p)) >= limit }
	cut, stall := reaches(w.Cut), reaches(w.Stall)
	switch {
	case cut:
		p = p[:w.Cut-w.Sent]
	case stall:
		p = p[:w.Stall-w.Sent]
	}
	w.Conn.SetWriteDeadline(time.Now().Add(w.Idle))
	n, w.Err = w.Conn.Write(p)
	w.Sent += int64(n)
	switch {
	case w.Err != nil:
	case cut:
		w.Err = ErrCut
	case stall:
		w.AwaitClose()
	}
	return n, w.Err
}

// AwaitClose waits until the client gives up. All later Writes fail.
func (w *CutWriter) AwaitClose() {
	w.Conn.SetReadDeadline(time.Now().Add(w.Idle))
	io.Copy(io.Discard, w.Conn)
	w.Err = errors.New("stalled until the client gave up")
}
