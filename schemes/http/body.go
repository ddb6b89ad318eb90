package http

import (
	"bytes"
	"io"
	"net/http/httputil"
	"net/textproto"

	"example.org/deref/fetch"
)

// body returns the body of the response, and how its end is known.
func (x *exchange) body() (io.ReadCloser, fetch.End) {
	switch x.size {
	case chunked:
		return &chunkedBody{x: x, in: httputil.NewChunkedReader(x.s.in)}, fetch.EndTerminated
	case framed:
		return &framedBody{x: x}, fetch.EndTerminated
	}
	b := &x.plain
	*b = plainBody{x: x, left: x.size}
	switch x.size {
	case untilClose:
		return b, fetch.EndClosed
	case 0:
		b.finish()
	}
	return b, fetch.EndDeclared
}

// finish returns the connection to the pool after the whole response was read. It may then be that of another request.
func (x *exchange) finish() {
	if x.done != nil {
		x.done(x.s.h2 != nil && x.s.mayContinue() || x.s.h2 == nil && x.size != untilClose && x.head.keepsAlive() && x.s.quiet())
		x.done = nil
	}
}

// drain reads a short body that is not the document, so that the connection can be used again. The body is part of the reply, with one
// deadline for all of it. Only a timeout or a canceled context is an error.
func (x *exchange) drain() error {
	const most = 64 << 10
	if x.s.h2 == nil { // HTTP/2 limits its frames itself
		x.s.conn.BeginPart()
	}
	body, _ := x.body()
	defer body.Close()
	if x.size == untilClose && !x.env.Recorded() {
		return nil
	}
	if _, err := io.CopyN(io.Discard, body, most); fetch.KindOf(err) == fetch.ErrTimeout {
		return err
	}
	return x.ctx.Err()
}

// release returns the connection to the pool if the rest of the response, left bytes, has already arrived. Otherwise it closes the
// connection.
func (x *exchange) release(left int64) {
	if x.done == nil {
		return
	}
	if x.s.h2 != nil {
		x.stream.Close() // its unread bytes fill the window of a shared connection
	}
	if left >= 0 && x.s.in != nil && left == int64(x.s.in.Buffered()) {
		x.s.in.Discard(int(left))
		x.finish()
		return
	}
	x.done(x.joined && x.s.mayContinue())
	x.done = nil
}

// A plainBody is a body with a Content-Length, or one that ends with the connection.
type plainBody struct {
	x    *exchange
	left int64
	err  error
}

func (b *plainBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left >= 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.x.s.in.Read(p)
	return n, b.advance(int64(n), err)
}

// WritePiece writes what is buffered. After that it moves bytes from the connection to w without copying them.
func (b *plainBody) WritePiece(w io.Writer, most int64) (n int64, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left >= 0 {
		most = min(most, b.left)
	}
	in := b.x.s.in
	if k := min(most, int64(in.Buffered())); k > 0 {
		buffered, _ := in.Peek(int(k))
		m, err := w.Write(buffered)
		in.Discard(m)
		if err != nil {
			return int64(m), err
		}
		return int64(m), b.advance(int64(m), nil)
	}
	n, err = b.x.s.conn.WritePiece(w, most)
	if err != nil && err != io.EOF && fetch.KindOf(err) == "" {
		return n, err // an error of w
	}
	return n, b.advance(n, err)
}

// advance counts n bytes, and returns the body's error for err.
func (b *plainBody) advance(n int64, err error) error {
	if b.left >= 0 {
		b.left -= n
	}
	switch {
	case b.left == 0:
		b.finish()
		return io.EOF
	case err == io.EOF && b.left > 0:
		err = fetch.Errorf(fetch.ErrTruncated, "got %d of %d bytes", b.x.size-b.left, b.x.size)
	}
	if b.err = err; err == io.EOF {
		b.x.finish()
	}
	return err
}

func (b *plainBody) finish() {
	b.err = io.EOF
	b.x.finish()
}

// hasArrived reports whether the rest can be read without waiting for the server. After the end, the connection may be another request's.
func (b *plainBody) hasArrived() bool {
	return b.err == io.EOF || b.err == nil && b.left == int64(b.x.s.in.Buffered())
}

// Close discards the rest.
func (b *plainBody) Close() error {
	b.x.release(b.left)
	return nil
}

// A chunkedBody is a body in the chunked transfer coding. RFC 9112 section 7.1.
type chunkedBody struct {
	x   *exchange
	in  io.Reader
	err error
}

func (b *chunkedBody) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err = b.in.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		b.err = b.x.readTrailer()
	case err == io.ErrUnexpectedEOF:
		b.err = fetch.Errorf(fetch.ErrTruncated, "the connection was closed before the last chunk")
	case fetch.KindOf(err) != "":
		b.err = err
	default:
		b.err = fetch.Errorf(fetch.ErrProtocol, "chunked coding: %v", err)
	}
	return n, b.err
}

// hasArrived is that of plainBody: the last chunk and an empty trailer are the end of what has arrived.
func (b *chunkedBody) hasArrived() bool {
	in := b.x.s.in
	rest, _ := in.Peek(in.Buffered())
	return b.err == nil && bytes.HasSuffix(rest, []byte("0\r\n\r\n"))
}

// readTrailer reads the fields after the last chunk, up to the empty line that confirms the end. It ignores them.
func (x *exchange) readTrailer() error {
	x.s.conn.BeginPart()
	if _, err := textproto.NewReader(x.s.in).ReadMIMEHeader(); err != nil {
		return x.headerError(headError(err))
	}
	x.finish()
	return io.EOF
}

// Close discards the rest.
func (b *chunkedBody) Close() error {
	b.x.release(-1)
	return nil
}

// An exactBody is a body whose length is not in its framing but in another field: the chunked body of a 206.
type exactBody struct {
	io.ReadCloser
	left int64
}

func (b *exactBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 || err == io.EOF && b.left > 0 {
		return n, fetch.Errorf(fetch.ErrProtocol, "the length of the body contradicts Content-Range")
	}
	return n, err
}
