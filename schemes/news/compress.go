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
	s.in = &inflater{in: inflate.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(s.buffered())), s.conn))}
	s.r, s.w = 0, 0
	s.out = newDeflater()
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
