package warc

import (
	"io"
	"net"
	"time"

	"example.org/deref/fetch"
)

// A playback is a connection that yields an archived response, whatever is sent to it. A truncated one ends like a broken connection, since
// some responses have no other mark of their end than that of the connection.
type playback struct {
	r   io.Reader
	cut bool
}

func (p *playback) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err == io.EOF && p.cut {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (*playback) Write(b []byte) (int, error)      { return len(b), nil }
func (*playback) Close() error                     { return nil }
func (*playback) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4zero} }
func (*playback) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4zero} }
func (*playback) SetDeadline(time.Time) error      { return nil }
func (*playback) SetReadDeadline(time.Time) error  { return nil }
func (*playback) SetWriteDeadline(time.Time) error { return nil }
func (*playback) IsPlayback()                      {}

var _ fetch.Playback = (*playback)(nil)

// rest is a payload that ends as the document did when it was captured.
type rest struct {
	io.ReadCloser
	o *Outcome
}

func (r *rest) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	switch {
	case err == io.EOF && r.o.Kind != kindWhole:
		err = r.o.failure()
	case err != nil && err != io.EOF && fetch.KindOf(err) == "":
		err = fetch.Errorf(fetch.ErrTruncated, "the archive: %w", err)
	}
	return n, err
}
