package loopback

import (
	"io"
	"net"
	"time"
)

// linger is how long Finish waits for the client's end.
const linger = time.Second

// Finish ends an answer whose end is the close: it says that nothing more comes, within TLS too, and waits for the client to go.
// A server that just closes while octets of the client are still unread sends a RST, which may overtake the answer.
func Finish(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); ok && w.CloseWrite() == nil {
		c.SetReadDeadline(time.Now().Add(linger))
		io.CopyN(io.Discard, c, 1<<20)
	}
	c.Close()
}
