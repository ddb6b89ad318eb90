package news

import (
	"bytes"
	"compress/flate"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/inflate"
)

// compress puts DEFLATE under both directions (RFC 8054 section 2.2.2). What has come behind the reply is compressed already.
func (s *session) compress() {
	s.conn.Record(fetch.RecordOctets)
	s.in = &inflater{in: inflate.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(s.buffered())), s.conn))}
	s.r, s.w = 0, 0
	s.out = newDeflater(s.conn)
}

// inflater gives the end of the connection within the compressed octets as what it is.
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

// deflater sends each command at once.
type deflater struct{ w *flate.Writer }

func newDeflater(w io.Writer) *deflater {
	f, err := flate.NewWriter(w, flate.DefaultCompression)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	return &deflater{f}
}

func (d *deflater) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	if err == nil {
		err = d.w.Flush()
	}
	return n, err
}
