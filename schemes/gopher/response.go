package gopher

import (
	"errors"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// headLen is how much of a response may be inspected before the document begins. Error messages are shorter.
const headLen = 4 << 10

// A response is what arrives on a connection: first what was read ahead, then the rest.
type response struct {
	pieces.Ahead // Rest is conn
	conn         *fetch.Conn
	strict       reporter
}

// readAhead reads once, up to headLen in total. It reports whether there is anything new.
func (a *response) readAhead() bool { return a.More(headLen - len(a.Held)) }

var errEmpty = &fetch.Error{Kind: fetch.ErrTruncated, Text: "empty response: the document is empty or was lost"}

// awaitFirst waits for the first byte. One deadline holds from here on until checkError has decided what the response is.
func (a *response) awaitFirst() error {
	for len(a.Held) == 0 && a.Err == nil {
		a.readAhead()
	}
	switch {
	case len(a.Held) > 0:
		return nil
	case errors.Is(a.Err, io.ErrUnexpectedEOF), a.Err == io.EOF:
		return errEmpty
	}
	return a.Err
}

// checkError returns an error if the response is an error message. A message ends with the connection, so a response that begins like one
// is read until that is decided.
func (a *response) checkError() error {
	a.conn.BeginUntilClose()
	defer a.conn.BeginBody()
	if err := a.awaitFirst(); err != nil {
		return err
	}
	for mayBeError(a.Held) && a.readAhead() {
	}
	switch {
	case a.Err == io.EOF:
		return failure(a.Held, a.strict)
	case fetch.KindOf(a.Err) == fetch.ErrTimeout:
		return a.Err
	}
	return nil
}

// WritePiece writes what was read ahead. After that the connection moves the bytes.
func (a *response) WritePiece(w io.Writer, most int64) (int64, error) {
	if len(a.Held) > 0 {
		n, err := w.Write(a.Held[:min(most, int64(len(a.Held)))])
		a.Held = a.Held[n:]
		return int64(n), err
	}
	if a.Err != nil {
		return 0, a.Err
	}
	return a.conn.WritePiece(w, most)
}

// Close closes the connection.
func (a *response) Close() error { return a.conn.Close() }

var _ fetch.PieceWriter = (*response)(nil)
