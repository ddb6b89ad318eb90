package gopher

import (
	"io"

	"example.org/deref/fetch"
)

// headLen is how much of an answer may be looked at before the document begins: an error message is shorter.
const headLen = 4 << 10

// An answer is what comes on a connection: first what was read ahead, then the rest.
type answer struct {
	conn  *fetch.Conn
	ahead []byte
	ended error // of conn, met while reading ahead
}

// more reads ahead once, at most up to headLen. It reports whether there is anything new.
func (a *answer) more() bool {
	if a.ahead == nil {
		a.ahead = make([]byte, 0, headLen)
	}
	n := len(a.ahead)
	if a.ended != nil || n == cap(a.ahead) {
		return false
	}
	var got int
	got, a.ended = a.conn.Read(a.ahead[n:cap(a.ahead)])
	a.ahead = a.ahead[:n+got]
	return got > 0
}

// first waits for the first octet.
func (a *answer) first() error {
	for len(a.ahead) == 0 && a.ended == nil {
		a.more()
	}
	switch {
	case len(a.ahead) > 0:
		return nil
	case a.ended == io.EOF:
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection without an octet: an empty document cannot be told from a lost one")
	}
	return a.ended
}

// judge finds out whether the first octets are an error message. A message ends with the connection, so what looks like its
// beginning is read until that is decided.
func (a *answer) judge() error {
	if err := a.first(); err != nil {
		return err
	}
	for mayFail(a.ahead) && a.more() {
	}
	if a.ended == io.EOF {
		return failure(a.ahead)
	}
	return nil
}

// Read gives the octets as they came.
func (a *answer) Read(p []byte) (int, error) {
	if len(a.ahead) > 0 {
		n := copy(p, a.ahead)
		a.ahead = a.ahead[n:]
		return n, nil
	}
	if a.ended != nil {
		return 0, a.ended
	}
	return a.conn.Read(p)
}

// WritePiece leaves the moving of the octets to the connection, once those read ahead are gone.
func (a *answer) WritePiece(w io.Writer, most int64) (int64, error) {
	if len(a.ahead) > 0 {
		n, err := w.Write(a.ahead[:min(most, int64(len(a.ahead)))])
		a.ahead = a.ahead[n:]
		return int64(n), err
	}
	if a.ended != nil {
		return 0, a.ended
	}
	return a.conn.WritePiece(w, most)
}

// Close drops the connection.
func (a *answer) Close() error { return a.conn.Close() }

var _ fetch.PieceWriter = (*answer)(nil)
