package fetch

import (
	"io"
	"net"
	"sync/atomic"
	"syscall"
)

// rawConn is the socket, below TLS. It notes its end, which crypto/tls does not tell from a close_notify.
type rawConn struct {
	net.Conn
	ended  atomic.Bool
	urgent urgent
	ahead  ahead
	peek   peek
}

func (r *rawConn) Read(p []byte) (int, error) {
	if n, err := r.ahead.take(p); n > 0 || err != nil {
		return n, err
	}
	if r.ahead.from == nil {
		return r.read(p)
	}
	if err := r.ahead.fill(r.read); err != nil {
		return 0, err
	}
	return r.ahead.take(p)
}

func (r *rawConn) read(p []byte) (n int, err error) {
	if r.urgent.heed != nil {
		n, err = r.urgent.read(r.Conn.(syscall.Conn), p)
	} else {
		n, err = r.Conn.Read(p)
	}
	if err == io.EOF {
		r.ended.Store(true)
	}
	return n, err
}
