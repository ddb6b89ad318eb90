package http

import (
	"io"
	"net/http/httputil"
	"net/textproto"

	"example.org/deref/fetch"
)

// body returns the octets of the answer, as its frame says where they end.
func (x *exchange) body() (io.ReadCloser, fetch.End) {
	switch x.size {
	case chunked:
		return &chunks{x: x, in: httputil.NewChunkedReader(x.s.in)}, fetch.EndTerminated
	case framed:
		return &frames{x: x}, fetch.EndTerminated
	case untilClose:
		return &plain{x: x, left: untilClose}, fetch.EndClosed
	}
	b := &plain{x: x, left: x.size}
	if b.left == 0 {
		b.finish()
	}
	return b, fetch.EndDeclared
}

// finish gives the connection back once the answer has been read to its end.
func (x *exchange) finish() {
	if x.done != nil {
		x.done(x.s.h2 != nil && x.s.h2.Available() > 0 || x.s.h2 == nil && x.size != untilClose && x.head.keeps() && x.s.quiet())
		x.done = nil
	}
}

// skip reads a short body that nobody wants, so that the connection can be used again. It is a part of the reply, with one deadline for
// all of it; only that it does not come in time is an error.
func (x *exchange) skip() error {
	const most = 64 << 10
	if x.s.h2 == nil { // which bounds its frames itself
		x.s.conn.BeginPart()
		defer x.s.conn.BeginBody()
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

// drop closes the connection, unless what is left of the answer has come already.
func (x *exchange) drop(left int64) {
	if x.done == nil {
		return
	}
	if left >= 0 && x.s.in != nil && left == int64(x.s.in.Buffered()) {
		x.s.in.Discard(int(left))
		x.finish()
		return
	}
	x.done(false)
	x.done = nil
}

// plain is a body of so many octets, or one that ends with the connection.
type plain struct {
	x    *exchange
	left int64
	err  error
}

func (b *plain) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left >= 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.x.s.in.Read(p)
	return n, b.account(int64(n), err)
}

// WritePiece moves octets from the connection to w without copying them, once what was read ahead is gone.
func (b *plain) WritePiece(w io.Writer, most int64) (n int64, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left >= 0 {
		most = min(most, b.left)
	}
	in := b.x.s.in
	if k := min(most, int64(in.Buffered())); k > 0 {
		ahead, _ := in.Peek(int(k))
		m, err := w.Write(ahead)
		in.Discard(m)
		if err != nil {
			return int64(m), err
		}
		return int64(m), b.account(int64(m), nil)
	}
	n, err = b.x.s.conn.WritePiece(w, most)
	if err != nil && err != io.EOF && fetch.KindOf(err) == "" {
		return n, err // the writer's own
	}
	return n, b.account(n, err)
}

// account notes that n octets have come, and what err means for the body.
func (b *plain) account(n int64, err error) error {
	if b.left >= 0 {
		b.left -= n
	}
	switch {
	case b.left == 0:
		b.finish()
		return nil
	case err == io.EOF && b.left > 0:
		err = fetch.Errorf(fetch.ErrTruncated, "the connection was closed %d octets before the end of %d", b.left, b.x.size)
	}
	if b.err = err; err == io.EOF {
		b.x.finish()
	}
	return err
}

func (b *plain) finish() {
	b.err = io.EOF
	b.x.finish()
}

// Close drops the rest.
func (b *plain) Close() error {
	b.x.drop(b.left)
	return nil
}

// chunks is a body in the chunked coding. RFC 9112 section 7.1.
type chunks struct {
	x   *exchange
	in  io.Reader
	err error
}

func (b *chunks) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err = b.in.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		b.err = b.x.trailer()
	case err == io.ErrUnexpectedEOF:
		b.err = fetch.Errorf(fetch.ErrTruncated, "the connection was closed before the last chunk")
	case fetch.KindOf(err) != "":
		b.err = err
	default:
		b.err = fetch.Errorf(fetch.ErrProtocol, "chunked coding: %v", err)
	}
	return n, b.err
}

// trailer reads the fields after the last chunk, up to the empty line that confirms the end. Nothing in them is used.
func (x *exchange) trailer() error {
	x.s.conn.BeginPart()
	defer x.s.conn.BeginBody()
	if _, err := textproto.NewReader(x.s.in).ReadMIMEHeader(); err != nil {
		return x.cut(headError(err))
	}
	x.finish()
	return io.EOF
}

// Close drops the rest.
func (b *chunks) Close() error {
	b.x.drop(-1)
	return nil
}

// counted is a body whose frame does not tell its length, while its header does: a part in the chunked coding.
type counted struct {
	io.ReadCloser
	left int64
}

func (b *counted) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 || err == io.EOF && b.left > 0 {
		return n, fetch.Errorf(fetch.ErrProtocol, "the part has another length than its Content-Range says")
	}
	return n, err
}
