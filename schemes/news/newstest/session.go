package newstest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// maxLine bounds a command line with its line end (RFC 3977 section 3.1 requires at least 512).
const maxLine = 4096

// A session is one connection.
type session struct {
	*Server
	c   net.Conn
	r   *bufio.Reader
	w   *bufio.Writer
	out loopback.CutWriter // below w

	reader bool // after MODE READER, or if it is not needed
	user   string
	trying string // after AUTHINFO USER, before its PASS
	group  *group
	at     int64 // the current article, 0 if there is none
	done   bool
}

func (s *Server) serve(c net.Conn) {
	x := &session{Server: s, c: c, out: loopback.CutWriter{Idle: s.o.Idle, Cut: s.f.CutAfter}, reader: !s.o.Transit && !s.o.OldTransit}
	defer func() { x.c.Close() }()
	x.streams()
	if s.implicit() && !x.startTLS() {
		return
	}
	x.greet()
	for !x.done {
		if x.r.Buffered() == 0 && x.flush() != nil {
			return
		}
		line, err := x.readLine()
		if err != nil {
			x.farewell(err)
			return
		}
		x.Net.Note(line)
		x.command(line)
	}
	x.flush()
}

// streams creates buffers for the connection.
func (x *session) streams() {
	x.out.Conn = x.c
	x.r, x.w = bufio.NewReaderSize(x.c, maxLine), bufio.NewWriter(&x.out)
}

func (x *session) flush() error {
	return x.w.Flush()
}

func (x *session) hangUp() {
	x.done = true
	x.c.Close()
}

func (x *session) greet() {
	if x.faulty("GREETING") {
		return
	}
	text := "newstest ready"
	if !x.reader {
		text += " (transit mode)"
	}
	code := 201
	if x.o.Posting {
		code = 200
	}
	x.reply(code, "%s", text)
}

// farewell sends the reason for closing the connection.
func (x *session) farewell(err error) {
	var e net.Error
	switch {
	case errors.As(err, &e) && e.Timeout():
		x.reply(400, "Idle for too long, goodbye")
	case errors.Is(err, bufio.ErrBufferFull):
		x.reply(501, "Line too long, goodbye")
	}
	x.flush()
}

// readLine reads a command.
func (x *session) readLine() (string, error) {
	x.c.SetReadDeadline(time.Now().Add(x.o.Idle))
	p, err := x.r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(p), "\r\n"), nil
}

func (x *session) reply(code int, format string, args ...any) {
	x.raw(fmt.Sprintf("%03d %s\r\n", code, fmt.Sprintf(format, args...)))
}

// raw sends bytes.
func (x *session) raw(text string) {
	if x.o.NoPipelining {
		loopback.DropInput(x.c, x.r)
	}
	if _, err := io.WriteString(x.w, text); err != nil {
		x.done = true
	}
}

// text sends the multi-line block after a reply: dot-stuffed, and ended by a lone dot.
func (x *session) text(p []byte) {
	d := lineproto.NewDotWriter(x.w)
	d.Write(p)
	if err := d.Close(); err != nil {
		x.done = true
	}
}
