package loopback

import (
	"bufio"
	"net"
	"strings"
	"time"
)

// Line reads a line from the client, which may be silent for idle, and notes it. in reads c, and its size bounds the line, which is
// returned without its end.
func (s *Server) Line(c net.Conn, in *bufio.Reader, idle time.Duration) (string, error) {
	c.SetDeadline(time.Now().Add(idle))
	line, err := in.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(line), "\r\n")
	s.Note(text)
	return text, nil
}

// settle is how long DropInput waits for a flight that is still on its way.
const settle = 2 * time.Millisecond

// DropInput forgets what a client has sent before its turn, as servers do that cannot pipeline. in reads c.
func DropInput(c net.Conn, in *bufio.Reader) {
	c.SetReadDeadline(time.Now().Add(settle))
	for {
		in.Discard(in.Buffered())
		if _, err := in.Peek(1); err != nil {
			return // the deadline; an end is met again by who reads on
		}
	}
}
