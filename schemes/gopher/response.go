package gopher

import (
	"errors"
	"io"

	"example.org/deref/fetch"
)

// headLen is how much of a response may be inspected before the document begins. Error messages are shorter.
const headLen = 4 << 10

// A response is what arrives on a connection: first what was read ahead, then the rest.
type response struct {
	conn  *fetch.Conn
	ahead []byte
	ended error // an error of conn while reading ahead

	strict reporter
}

// readAhead reads once, up to headLen in total. It reports whether there is anything new.
func (a *response) readAhead() bool {
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

var errEmpty = &fetch.Error{Kind: fetch.ErrTruncated, Text: "empty response: the document is empty or was lost"}

// awaitFirst waits for the first byte. One deadline holds from here on until checkError has decided what the response is.
func (a *response) awaitFirst() error {
	for len(a.ahead) == 0 && a.ended == nil {
		a.readAhead()
	}
	switch {
	case len(a.ahead) > 0:
		return nil
	case errors.Is(a.ended, io.ErrUnexpectedEOF), a.ended == io.EOF:
		return errEmpty
	}
	return a.ended
}

// checkError returns an error if the response is an error message. A message ends with the connection, so a response that begins like one
// is read until that is decided.
func (a *response) checkError() error {
	a.conn.BeginUntilClose()
	defer a.conn.BeginBody()
	if err := a.awaitFirst(); err != nil {
		return err
	}
	for mayBeError(a.ahead) && a.readAhead() {
	}
	switch {
	case a.ended == io.EOF:
		return failure(a.ahead, a.strict)
	case fetch.KindOf(a.ended) == fetch.ErrTimeout:
		return a.ended
	}
	return nil
}

// Read reads the raw response.
func (a *response) Read(p []byte) (int, error) {
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

// WritePiece writes what was read ahead. After that the connection moves the bytes.
func (a *response) WritePiece(w io.Writer, most int64) (int64, error) {
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

// Close closes the connection.
func (a *response) Close() error { return a.conn.Close() }

var _ fetch.PieceWriter = (*response)(nil)
