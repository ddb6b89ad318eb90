package mailtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"example.org/deref/schemes/internal/lineproto"
)

// maxMessage bounds an accepted message, maxLine a line.
const (
	maxMessage = 10 << 20
	maxLine    = 4 << 10
)

// An smtpSession is one session (RFC 5321).
type smtpSession struct {
	b       *Outbox
	c       net.Conn
	in      *bufio.Reader
	locked  bool // a password is required
	mail    bool // after MAIL
	message Message
	err     error // why the session ended
}

// use makes c the connection: at the beginning, and after STARTTLS.
func (s *smtpSession) use(c net.Conn) {
	s.c = c
	s.in = bufio.NewReaderSize(c, maxLine)
}

func (s *smtpSession) say(lines ...string) {
	if _, err := io.WriteString(s.c, strings.Join(lines, "\r\n")+"\r\n"); err != nil {
		s.err = err
	}
}

// line reads a line. A line longer than maxLine ends the session.
func (s *smtpSession) line() string {
	s.c.SetDeadline(time.Now().Add(s.b.o.Idle)) // also for the reply, and for the text after DATA
	line, err := s.in.ReadSlice('\n')
	if err != nil {
		s.err = err
		return ""
	}
	text := strings.TrimRight(string(line), "\r\n")
	s.b.Net.Note(text)
	return text
}

func (s *smtpSession) command(line string) {
	if s.err != nil {
		return
	}
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		s.reset()
		s.say(s.greeting()...)
	case "HELO":
		s.reset()
		s.say("250 site.example")
	case "STARTTLS":
		s.startTLS()
	case "AUTH":
		s.auth(rest)
	case "MAIL":
		s.from(rest)
	case "RCPT":
		s.to(rest)
	case "DATA":
		s.data()
	case "RSET":
		s.reset()
		s.say("250 ok")
	case "VRFY": // mandatory, but it may be noncommittal (RFC 5321 sections 4.5.1 and 7.3)
		s.say("252 send it and see")
	case "NOOP":
		s.say("250 ok")
	case "QUIT":
		s.say("221 bye")
		s.err = io.EOF
	default:
		s.say("500 what?")
	}
}

func (s *smtpSession) reset() { s.mail, s.message = false, Message{} }

func (s *smtpSession) secure() bool {
	_, ok := s.c.(*tls.Conn)
	return ok
}

// greeting returns the reply to EHLO. It offers AUTH only if a password is accepted now.
func (s *smtpSession) greeting() []string {
	lines := []string{"250-site.example", "250-PIPELINING", "250-8BITMIME", "250-SMTPUTF8"}
	if s.b.o.StartTLS && !s.secure() {
		lines = append(lines, "250-STARTTLS")
	}
	if s.mayLogIn() {
		lines = append(lines, "250-AUTH PLAIN")
	}
	return append(lines, "250 SIZE "+strconv.Itoa(maxMessage))
}

func (s *smtpSession) mayLogIn() bool { return s.secure() || !s.b.o.PasswordsTLS }

func (s *smtpSession) startTLS() {
	if !s.b.o.StartTLS || s.secure() {
		s.say("502 no TLS")
		return
	}
	s.say("220 go on")
	s.use(tls.Server(s.c, s.b.tls)) // discards what was sent after the command without TLS
	s.reset()
}

// auth handles AUTH PLAIN (RFC 4954, RFC 4616).
func (s *smtpSession) auth(rest string) {
	mechanism, first, given := strings.Cut(rest, " ")
	switch {
	case !s.mayLogIn():
		s.say("523 not in clear")
		return
	case !strings.EqualFold(mechanism, "PLAIN"):
		s.say("504 no such mechanism")
		return
	case !given:
		s.say("334 ")
		first = s.line()
	}
	b, err := base64.StdEncoding.DecodeString(first)
	if who := strings.Split(string(b), "\x00"); err != nil || len(who) != 3 || who[1] != User || who[2] != Password {
		s.say("535 5.7.8 no")
		return
	}
	s.locked = false
	s.say("235 welcome")
}

func (s *smtpSession) from(rest string) {
	address, ok := addressOf(rest, "FROM:")
	switch {
	case s.locked:
		s.say("530 who are you?")
	case !ok:
		s.say("501 no address")
	default:
		s.mail, s.message = true, Message{From: address}
		s.say("250 ok")
	}
}

func (s *smtpSession) to(rest string) {
	address, ok := addressOf(rest, "TO:")
	switch {
	case !s.mail:
		s.say("503 MAIL comes first")
	case !ok || address == "":
		s.say("501 no address")
	case strings.HasPrefix(address, "nobody@"):
		s.say("550 5.1.1 no such user")
	default:
		s.message.To = append(s.message.To, address)
		s.say("250 ok")
	}
}

// addressOf parses "FROM:<address> parameters".
func addressOf(rest, word string) (address string, ok bool) {
	if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
		return "", false
	}
	address, ok = strings.CutPrefix(strings.TrimLeft(rest[len(word):], " "), "<")
	address, _, closed := strings.Cut(address, ">")
	return address, ok && closed
}

func (s *smtpSession) data() {
	if len(s.message.To) == 0 {
		s.say("503 RCPT comes first")
		return
	}
	s.say("354 go on")
	text, err := s.text()
	switch {
	case errors.Is(err, errLong):
		s.say("552 5.3.4 too long")
	case err != nil:
		s.err = err
	default:
		s.message.Text = text
		s.b.keep(s.message)
		s.say("250 2.0.0 accepted")
	}
	s.reset()
}

var errLong = errors.New("the message is too long")

// text reads a message up to its final dot.
func (s *smtpSession) text() (string, error) {
	in := lineproto.NewDotReader(s.in)
	text, err := io.ReadAll(io.LimitReader(in, maxMessage))
	if err == nil {
		var more int64
		if more, err = io.Copy(io.Discard, in); more > 0 && err == nil {
			err = errLong
		}
	}
	return string(text), err
}
