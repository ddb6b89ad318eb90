package main

import (
	"context"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// A meddler sits between a Client and its servers. It passes a number of bytes from the servers to the Client, counted over all
// connections and datagrams. Afterwards, then decides what the Client reads.
type meddler struct {
	rest atomic.Int64 // number of bytes that may still pass
	seen atomic.Int64 // number of bytes that servers sent
	said atomic.Int64 // number of bytes that the Client sent
	then func(c *meddled, p []byte) (int, error)

	mu    sync.Mutex
	heard []byte // the bytes that the Client sent, up to a limit
}

// meddle routes all of c's network traffic through a new meddler.
func meddle(c *fetch.Client, pass int64, then func(c *meddled, p []byte) (int, error)) *meddler {
	m := &meddler{then: then}
	m.rest.Store(pass)
	c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &meddled{Conn: nc, m: m}, nil
	}
	c.Datagrams = func(_ context.Context, addr string) (net.PacketConn, netip.AddrPort, error) {
		peer, err := netip.ParseAddrPort(addr)
		if err != nil {
			return nil, peer, err
		}
		sock, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		return &meddledPackets{sock, m, peer}, peer, err
	}
	return m
}

// meddled is a connection through a meddler.
type meddled struct {
	net.Conn
	m      *meddler
	turns  atomic.Int64
	closed atomic.Bool
	until  atomic.Pointer[time.Time] // the client's deadline
}

func (c *meddled) Read(p []byte) (int, error) {
	rest := c.m.rest.Load()
	if rest <= 0 {
		c.turns.Add(1)
		if c.closed.Load() {
			return 0, net.ErrClosed
		}
		if until := c.until.Load(); until != nil && !until.IsZero() && time.Now().After(*until) {
			return 0, os.ErrDeadlineExceeded
		}
		return c.m.then(c, p)
	}
	const piece = 16 // small enough that the Client reads no reply before it expects it
	n, err := c.Conn.Read(p[:min(int64(len(p)), rest, piece)])
	c.m.rest.Add(-int64(n))
	c.m.seen.Add(int64(n))
	return n, err
}

func (c *meddled) Write(p []byte) (int, error) {
	c.m.hear(p)
	return c.Conn.Write(p)
}

func (m *meddler) hear(p []byte) {
	m.said.Add(int64(len(p)))
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.heard) < 1<<16 {
		m.heard = append(m.heard, p...)
	}
}

func (c *meddled) SetDeadline(t time.Time) error {
	c.until.Store(&t)
	return c.Conn.SetDeadline(t)
}

func (c *meddled) SetReadDeadline(t time.Time) error {
	c.until.Store(&t)
	return c.Conn.SetReadDeadline(t)
}

func (c *meddled) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// meddledPackets is a datagram socket through a meddler.
type meddledPackets struct {
	*net.UDPConn
	m    *meddler
	peer netip.AddrPort
}

func (c *meddledPackets) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.UDPConn.ReadFrom(p)
		if err != nil {
			return n, from, err
		}
		c.m.seen.Add(int64(n))
		if c.m.rest.Add(-int64(n)) >= 0 {
			return n, from, nil
		}
		if n, err = c.m.then(&meddled{m: c.m}, p[:n]); err == nil {
			return n, from, nil
		} // otherwise the datagram is lost
	}
}

func (c *meddledPackets) WriteTo(p []byte, to net.Addr) (int, error) {
	c.m.hear(p)
	return c.UDPConn.WriteTo(p, to)
}

// These functions replace what the server would send next.

// ends closes the connection normally.
func ends(*meddled, []byte) (int, error) { return 0, io.EOF }

// breaks resets the connection.
func breaks(*meddled, []byte) (int, error) {
	return 0, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
}

// drips sends a byte from time to time, forever.
func drips(_ *meddled, p []byte) (int, error) {
	loopback.Pause(100 * time.Millisecond)
	return copy(p[:1], "x"), nil
}

// repeats sends the same words forever.
func repeats(words string) func(*meddled, []byte) (int, error) {
	return func(_ *meddled, p []byte) (int, error) {
		n := copy(p, words)
		for n < len(p) {
			n += copy(p[n:], p[:n])
		}
		return n, nil
	}
}

// pauses is then after a delay, so that an attempt that lasts as long as its timeouts uses little processor time.
func pauses(then func(*meddled, []byte) (int, error)) func(*meddled, []byte) (int, error) {
	return func(c *meddled, p []byte) (int, error) {
		loopback.Pause(20 * time.Millisecond)
		return then(c, p)
	}
}

// echoes sends the bytes that the Client sent, then ends.
func echoes(c *meddled, p []byte) (int, error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.turns.Load() > 1 || len(c.m.heard) == 0 {
		return 0, io.EOF
	}
	return copy(p, c.m.heard), nil
}

// points returns about n offsets below the given number of bytes, including the first and the last. With -short it returns at most four.
func points(total int64, n int) []int64 {
	if testing.Short() {
		n = min(n, 4)
	}
	var list []int64
	for i := range int64(n) {
		if at := total * i / int64(n-1); len(list) == 0 || at > list[len(list)-1] {
			list = append(list, at)
		}
	}
	return list
}
