// Package socket wraps a TCP connection with operations that package net does not offer: looking for bytes without reading them, reading
// ahead for TLS, urgent data, and moving bytes to a file or pipe within the system. It also classifies the system's errors.
package socket

import (
	"io"
	"net"
	"sync/atomic"
	"syscall"
)

// A Conn is a connection below TLS. It remembers its end, since crypto/tls does not distinguish it from a close_notify.
type Conn struct {
	net.Conn
	ended  atomic.Bool
	urgent urgent
	ahead  ahead
	peek   peek
}

// New returns a Conn for nc.
func New(nc net.Conn) *Conn { return &Conn{Conn: nc} }

// HasEnded reports whether Read has met the end of the connection.
func (c *Conn) HasEnded() bool { return c.ended.Load() }

// Read returns the bytes that were read ahead first.
func (c *Conn) Read(p []byte) (int, error) {
	if n, err := c.ahead.take(p); n > 0 || err != nil {
		return n, err
	}
	if c.ahead.buffers == nil {
		return c.read(p)
	}
	if err := c.ahead.fill(c.read); err != nil {
		return 0, err
	}
	return c.ahead.take(p)
}

func (c *Conn) read(p []byte) (n int, err error) {
	if c.urgent.handle != nil {
		n, err = c.urgent.read(c.Conn.(syscall.Conn), p)
	} else {
		n, err = c.Conn.Read(p)
	}
	if err == io.EOF {
		c.ended.Store(true)
	}
	return n, err
}
