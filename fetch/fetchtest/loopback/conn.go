package loopback

import (
	"bufio"
	"net"
	"strings"
	"time"
)

// maxLine bounds the lines of Conn.Line.
const maxLine = 4096

// A Conn is a client's connection to a server of Serve. Both directions are buffered. What has been written is sent before the Conn waits for
// input and when the conversation ends, so that pipelined commands are answered in one write.
type Conn struct {
	*bufio.Reader
	*bufio.Writer
	net    net.Conn
	server *Server
}

// Serve starts a server that calls answer for each connection. addr is that of Listen. A client may be silent for idle, by default a
// minute. When answer returns, the connection is closed as by Finish.
func Serve(scheme, addr string, idle time.Duration, answer func(c *Conn)) (*Server, error) {
	Default(&idle, time.Minute)
	s := &Server{}
	return Start(s, scheme, addr, func(nc net.Conn) {
		c := &Conn{net: Patient(nc, idle), server: s}
		c.Reader, c.Writer = bufio.NewReaderSize(flusher{c}, maxLine), bufio.NewWriter(c.net)
		answer(c)
		if c.Flush() == nil {
			Finish(c.net)
		}
	})
}

// Options configure a server of ServeLine. A nil *Options means the zero Options.
type Options struct {
	Addr string        // where to listen; empty means a free port of 127.0.0.1
	Idle time.Duration // how long a client may be silent; 0 means one minute
}

// ServeLine starts a server of a protocol in which each connection has one line of input.
func ServeLine(scheme string, o *Options, answer func(c *Conn, line string)) (*Server, error) {
	given := Given(o)
	return Serve(scheme, given.Addr, given.Idle, func(c *Conn) {
		if line, err := c.Line(); err == nil {
			answer(c, line)
		}
	})
}

// A flusher sends what has been written before it reads.
type flusher struct{ *Conn }

func (f flusher) Read(p []byte) (int, error) {
	if err := f.Flush(); err != nil {
		return 0, err
	}
	return f.net.Read(p)
}

// Line reads a line of at most 4096 bytes, adds it to the Transcript, and returns it without its end.
func (c *Conn) Line() (string, error) {
	line, err := c.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(line), "\r\n")
	c.Note(text)
	return text, nil
}

// Note adds a line to the Transcript.
func (c *Conn) Note(line string) { c.server.Net.Note(line) }

// RemoteAddr returns the client's address.
func (c *Conn) RemoteAddr() net.Addr { return c.net.RemoteAddr() }

// dropTime is how long DropInput waits for pipelined commands that have not arrived yet.
const dropTime = 2 * time.Millisecond

// DropInput discards input that the client has sent ahead, as servers without pipelining do. in must read from c.
func DropInput(c net.Conn, in *bufio.Reader) {
	c.SetReadDeadline(time.Now().Add(dropTime))
	for {
		in.Discard(in.Buffered())
		if _, err := in.Peek(1); err != nil {
			return // the deadline; the next read meets an end again
		}
	}
}
