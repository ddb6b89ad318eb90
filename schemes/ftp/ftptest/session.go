package ftptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// maxLine bounds a command line, its line end included.
const maxLine = 4096

// session is one control connection.
type session struct {
	*Server
	c   net.Conn // the TCP connection, or TLS on it
	r   *bufio.Reader
	out loopback.CutWriter // on c

	user    string
	account string // the expected argument of ACCT
	in      bool   // logged in
	cwd     string // absolute, clean
	ascii   bool
	rest    int64
	recode  int // Faults.Code of the current command
	files   int // number of RETRs
	data    dataPort
	prot    bool // PROT P
	utf8    bool // OPTS UTF8 ON was received
	epsvAll bool
	done    bool
}

func (s *Server) serve(c net.Conn) {
	x := &session{Server: s, c: c, r: bufio.NewReaderSize(c, maxLine), cwd: "/", ascii: true,
		out: loopback.CutWriter{Idle: s.o.Idle, Cut: s.f.CutControlAfter}}
	defer x.close()
	if s.implicit() {
		if !x.startTLS() {
			return
		}
		x.prot = true
	}
	x.greet()
	for !x.done {
		line, err := x.readLine()
		if err != nil {
			x.farewell(err)
			return
		}
		x.Net.Note(line)
		x.command(line)
	}
}

func (x *session) close() {
	x.data.reset(x)
	x.c.Close()
}

func (x *session) greet() {
	text := x.o.Greeting
	if text == "" {
		text = "ftptest ready"
	}
	if x.faulty("greeting") {
		return
	}
	x.reply(220, strings.Split(text, "\n")...)
}

// farewell sends the reason why the connection is closed, if the client still listens.
func (x *session) farewell(err error) {
	var e net.Error
	switch {
	case errors.As(err, &e) && e.Timeout():
		x.reply(421, "Idle for too long, goodbye")
	case errors.Is(err, bufio.ErrBufferFull):
		x.reply(500, "Line too long, goodbye")
	}
}

// readLine reads a command, which ends with CR LF or LF.
func (x *session) readLine() (string, error) {
	x.c.SetReadDeadline(time.Now().Add(x.o.Idle))
	p, err := x.r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return clean(p), nil
}

// clean removes the line end. IAC IAC of TELNET (RFC 854) is one 0xff.
func clean(p []byte) string {
	return strings.ReplaceAll(strings.TrimRight(string(p), "\r\n"), "\xff\xff", "\xff")
}

// reply sends a reply of one or more lines (RFC 959 §4.2). A line between the
// first and the last has no code, and is indented if it begins with a digit.
func (x *session) reply(code int, lines ...string) {
	var b strings.Builder
	if x.recode != 0 && code < 400 {
		code, x.recode = x.recode, 0
	}
	for i, l := range lines {
		switch {
		case i == len(lines)-1:
			fmt.Fprintf(&b, "%03d %s\r\n", code, l)
		case i == 0:
			fmt.Fprintf(&b, "%03d-%s\r\n", code, l)
		case l != "" && '0' <= l[0] && l[0] <= '9':
			fmt.Fprintf(&b, " %s\r\n", l)
		default:
			fmt.Fprintf(&b, "%s\r\n", l)
		}
	}
	x.raw(b.String())
}

// raw sends text on the control connection.
func (x *session) raw(text string) {
	if x.o.NoPipelining {
		loopback.DropInput(x.c, x.r)
	}
	x.out.Conn = x.c
	if _, err := io.WriteString(&x.out, text); err != nil {
		x.done = true
	}
}
