package fetch

import (
	"net"
	"sync/atomic"
)

// ahead is what was read from the socket before crypto/tls asked for it, which by itself asks for no more than a record or two.
type ahead struct {
	from *Client // whose buffers are used; nil reads nothing ahead
	buf  *[copySize]byte
	left []byte // of buf, not taken yet
	shut bool   // the socket is not to be asked: only what has come already counts

	holds atomic.Bool // left is not void; also for those who do not read the connection (HTTP/2 has one goroutine that does)
}

// fill reads what the socket has, once all before is taken.
func (a *ahead) fill(read func([]byte) (int, error)) error {
	buf := a.from.buffer()
	n, err := read(buf[:])
	if n == 0 {
		a.from.buffers.Put(buf)
		return err
	}
	a.buf, a.left = buf, buf[:n]
	a.holds.Store(true)
	return nil
}

// take returns the buffer with the last octet of it, so that an idle connection holds none.
func (a *ahead) take(p []byte) (int, error) {
	n := copy(p, a.left)
	if a.left = a.left[n:]; len(a.left) == 0 && a.buf != nil {
		a.from.buffers.Put(a.buf)
		a.buf, a.left = nil, nil
		a.holds.Store(false)
	}
	if n == 0 && a.shut && len(p) > 0 {
		return 0, errNotYet
	}
	return n, nil
}

// errNotYet says that what has come is no whole record. It is temporary: crypto/tls keeps the part and goes on from there.
var errNotYet net.Error = notYet{}

type notYet struct{}

func (notYet) Error() string   { return "no whole record has come yet" }
func (notYet) Timeout() bool   { return true }
func (notYet) Temporary() bool { return true }

// pull reads from the connection. crypto/tls gives one record at a time, of 16 KiB at most; those that have come behind it are
// taken with it, so that a long body is written by as few system calls as one in clear.
func (c *Conn) pull(p []byte) (int, error) {
	n, err := c.net.Read(p)
	if c.tls == nil || err != nil || len(p) < copySize {
		return n, err
	}
	c.raw.ahead.shut = true
	defer func() { c.raw.ahead.shut = false }()
	for n < len(p) {
		m, err := c.net.Read(p[n:])
		n += m
		if err != nil {
			return n, nil // crypto/tls says it again, unless it is errNotYet
		}
	}
	return n, nil
}
