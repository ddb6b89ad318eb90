package loopback

import (
	"io"
	"net"
	"time"
)

// linger is how long Finish waits for the client to close.
const linger = time.Second

// Finish ends a response whose end is the close of the connection. It closes the sending direction, also within TLS, waits for the client to
// close, and closes c. A server that closes at once while it has unread input sends a RST, which may overtake the response.
func Finish(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); ok && w.CloseWrite() == nil {
		c.SetReadDeadline(time.Now().Add(linger))
		io.CopyN(io.Discard, c, 1<<20)
	}
	c.Close()
}

// Reset makes the Close of c, or of the connection that it wraps, reset the connection.
func Reset(c net.Conn) {
	switch c := c.(type) {
	case interface{ SetLinger(sec int) error }:
		c.SetLinger(0)
	case interface{ NetConn() net.Conn }:
		Reset(c.NetConn())
	}
}

// Say returns a serve function that sends text, whatever the client sends. Then it closes the connection, if closes is set, or waits for the
// client to close it.
func Say(text string, closes bool) func(net.Conn) {
	return func(c net.Conn) {
		gone := make(chan struct{})
		go func() { io.Copy(io.Discard, c); close(gone) }()
		io.WriteString(c, text)
		if w, ok := c.(interface{ CloseWrite() error }); ok && closes {
			w.CloseWrite()
		}
		<-gone
	}
}
