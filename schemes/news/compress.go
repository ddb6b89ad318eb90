package news

import (
	"bytes"
	"compress/flate"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news/internal/inflate"
)

// compress adds DEFLATE to both directions (RFC 8054 section 2.2.2). What follows the reply is compressed already.
func (s *session) compress() {
	s.conn.Record(fetch.RecordOctets)
	s.in = &ahead{in: &inflater{in: inflate.NewReader(s.conn)}}
	s.out = newDeflater()
}

// An ahead is a source for what a Reader returns. Its buffer grows as long as single reads fill it, and further only for long lines.
type ahead struct {
	in   io.Reader
	buf  []byte
	r, w int
}

// Bounds of the buffer.
const (
	firstBuffer = 4 << 10
	wholeBuffer = 64 << 10
)

func (a *ahead) Buffered() int { return a.w - a.r }

func (a *ahead) Discard(n int) (int, error) {
	a.r += n
	return n, nil
}

func (a *ahead) Peek(n int) ([]byte, error) {
	for a.Buffered() < n {
		if err := a.fill(); err != nil {
			return a.buf[a.r:a.w], err
		}
	}
	return a.buf[a.r:a.w], nil
}

// fill makes room and reads once.
func (a *ahead) fill() error {
	switch {
	case a.r == a.w:
		if a.w == len(a.buf) && len(a.buf) < wholeBuffer {
			a.buf = make([]byte, max(firstBuffer, 2*len(a.buf)))
		}
		a.r, a.w = 0, 0
	case a.w == len(a.buf) && a.r > 0:
		a.w = copy(a.buf, a.buf[a.r:a.w])
		a.r = 0
	case a.w == len(a.buf):
		a.buf = append(a.buf, make([]byte, len(a.buf))...)
	}
	n, err := a.in.Read(a.buf[a.w:])
	a.w += n
	if n == 0 && err == nil {
		return io.ErrNoProgress
	}
	if n > 0 {
		return nil
	}
	return err
}

// inflater returns io.EOF if the connection ends within the compressed bytes.
type inflater struct{ in io.Reader }

func (i *inflater) Read(p []byte) (int, error) {
	n, err := i.in.Read(p)
	switch err {
	case io.ErrUnexpectedEOF:
		err = io.EOF
	case inflate.ErrCorrupt:
		err = fetch.Errorf(fetch.ErrProtocol, "%w", err)
	}
	return n, err
}

// deflater compresses what is sent, and flushes all of it.
type deflater struct {
	w   *flate.Writer
	out bytes.Buffer
}

func newDeflater() *deflater {
	d := &deflater{}
	var err error
	if d.w, err = flate.NewWriter(&d.out, flate.DefaultCompression); err != nil {
		panic(err) // only if the level does not exist
	}
	return d
}

// compress returns p compressed, valid until the next call. Neither Write nor Flush can fail on a Buffer.
func (d *deflater) compress(p []byte) []byte {
	d.out.Reset()
	d.w.Write(p)
	d.w.Flush()
	return d.out.Bytes()
}

// lines is fetch.Lines, compressed.
func (d *deflater) lines(b []byte, steps []fetch.Step) []byte {
	return append(b, d.compress(fetch.Lines(nil, steps))...)
}

// deflating compresses what is written to it.
type deflating struct {
	d   *deflater
	out io.Writer
}

func (w deflating) Write(p []byte) (int, error) {
	if _, err := w.out.Write(w.d.compress(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
