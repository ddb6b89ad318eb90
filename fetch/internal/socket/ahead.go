package socket

import (
	"io"
	"net"
	"sync/atomic"
)

// ahead holds bytes read from the socket before crypto/tls requested them. By itself, crypto/tls requests no more than a record or two: a
// long body takes longer without it (BenchmarkSecureBulkToFile of package fetch).
type ahead struct {
	buffers *Buffers // nil reads nothing ahead
	buf     *[BufferSize]byte
	left    []byte // the part of buf not yet returned
	arrived bool   // only what has arrived is returned, and the socket is not read

	holds atomic.Bool // left is not empty; for those who do not read the connection (in HTTP/2 another goroutine does)
}

// ReadAhead makes Read fill whole buffers.
func (c *Conn) ReadAhead(b *Buffers) { c.ahead.buffers = b }

// IsAhead reports whether there are bytes that were read ahead and not yet returned by Read. It may be called while another goroutine
// reads.
func (c *Conn) IsAhead() bool { return c.ahead.holds.Load() }

// ReadArrived fills p from r, which is TLS over c. After the first Read it reads only records that have already arrived. crypto/tls returns
// one record at a time, of at most 16 KiB, so this makes writes of a long body as long as those of one in clear. Without
// it, such a body takes longer (BenchmarkSecureBulkToFile).
func (c *Conn) ReadArrived(r io.Reader, p []byte) (int, error) {
	n, err := r.Read(p)
	if err != nil {
		return n, err
	}
	c.ahead.arrived = true
	defer func() { c.ahead.arrived = false }()
	for n < len(p) {
		m, err := r.Read(p[n:])
		n += m
		if err != nil {
			return n, nil // the next Read returns it again, unless it is errNotYet
		}
	}
	return n, nil
}

// fill reads the bytes available on the socket. All earlier bytes have been returned.
func (a *ahead) fill(read func([]byte) (int, error)) error {
	buf := a.buffers.Get()
	n, err := read(buf[:])
	if n == 0 {
		a.buffers.Put(buf)
		return err
	}
	a.buf, a.left = buf, buf[:n]
	a.holds.Store(true)
	return nil
}

// take copies buffered bytes to p. It returns the empty buffer to the pool, so that an idle connection holds none.
func (a *ahead) take(p []byte) (int, error) {
	n := copy(p, a.left)
	if a.left = a.left[n:]; len(a.left) == 0 && a.buf != nil {
		a.buffers.Put(a.buf)
		a.buf, a.left = nil, nil
		a.holds.Store(false)
	}
	if n == 0 && a.arrived && len(p) > 0 {
		return 0, errNotYet
	}
	return n, nil
}

// errNotYet means that no complete record has arrived. It is temporary: crypto/tls keeps the part that has and continues from there.
var errNotYet net.Error = notYet{}

type notYet struct{}

func (notYet) Error() string   { return "no complete record has arrived yet" }
func (notYet) Timeout() bool   { return true }
func (notYet) Temporary() bool { return true }
