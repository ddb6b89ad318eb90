package mailtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// maxLetter is the longest message that is taken, maxLine the longest line.
const (
	maxLetter = 10 << 20
	maxLine   = 4 << 10
)

// taking is one session of RFC 5321.
type taking struct {
	b      *Outbox
	c      net.Conn
	in     *bufio.Reader
	locked bool // a password is wanted
	mail   bool // MAIL was said
	letter Letter
	err    error // ends the session
}

// on goes on over c: at the beginning, and within TLS.
func (s *taking) on(c net.Conn) {
	s.c = c
	s.in = bufio.NewReaderSize(io.TeeReader(c, &s.b.said), maxLine)
}

func (s *taking) say(lines ...string) {
	text := strings.Join(lines, "\r\n") + "\r\n"
	s.b.said.Write([]byte(text))
	if _, err := io.WriteString(s.c, text); err != nil {
		s.err = err
	}
}

// line reads one; a longer one ends the session.
func (s *taking) line() string {
	s.c.SetDeadline(time.Now().Add(s.b.o.Idle)) // for the answer too, and for the text behind DATA
	line, err := s.in.ReadSlice('\n')
	if err != nil {
		s.err = err
	}
	return strings.TrimRight(string(line), "\r\n")
}

func (s *taking) command(line string) {
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
	case "VRFY": // mandatory, but not its truth: RFC 5321 sections 4.5.1 and 7.3
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

func (s *taking) reset() { s.mail, s.letter = false, Letter{} }

func (s *taking) secure() bool {
	_, ok := s.c.(*tls.Conn)
	return ok
}

// greeting is the reply to EHLO: extensions with the password only where it is taken.
func (s *taking) greeting() []string {
	lines := []string{"250-site.example", "250-PIPELINING", "250-8BITMIME", "250-SMTPUTF8", "250-DSN"}
	if s.b.o.StartTLS && !s.secure() {
		lines = append(lines, "250-STARTTLS")
	}
	if s.mayLogIn() {
		lines = append(lines, "250-AUTH PLAIN")
	}
	return append(lines, "250 SIZE "+strconv.Itoa(maxLetter))
}

func (s *taking) mayLogIn() bool { return s.secure() || !s.b.o.PasswordsTLS }

func (s *taking) startTLS() {
	if !s.b.o.StartTLS || s.secure() {
		s.say("502 no TLS")
		return
	}
	s.say("220 go on")
	s.on(tls.Server(s.c, s.b.tls)) // what was said in clear beyond the command is dropped
	s.reset()
}

// auth is RFC 4954 with the mechanism PLAIN (RFC 4616).
func (s *taking) auth(rest string) {
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

func (s *taking) from(rest string) {
	address, ok := addressOf(rest, "FROM:")
	switch {
	case s.locked:
		s.say("530 who are you?")
	case !ok:
		s.say("501 no address")
	default:
		s.mail, s.letter = true, Letter{From: address}
		s.say("250 ok")
	}
}

func (s *taking) to(rest string) {
	address, ok := addressOf(rest, "TO:")
	switch {
	case !s.mail:
		s.say("503 MAIL comes first")
	case !ok || address == "":
		s.say("501 no address")
	case strings.HasPrefix(address, "nobody@"):
		s.say("550 5.1.1 no such user")
	default:
		s.letter.To = append(s.letter.To, address)
		s.say("250 ok")
	}
}

// addressOf reads "FROM:<address> parameters".
func addressOf(rest, word string) (address string, ok bool) {
	if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
		return "", false
	}
	address, ok = strings.CutPrefix(strings.TrimLeft(rest[len(word):], " "), "<")
	address, _, closed := strings.Cut(address, ">")
	return address, ok && closed
}

func (s *taking) data() {
	if len(s.letter.To) == 0 {
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
		s.letter.Text = text
		s.b.take(s.letter)
		s.say("250 2.0.0 taken")
	}
	s.reset()
}

var errLong = errors.New("the message is too long")

// text reads a message up to its dot. Its lines end with CRLF, as they came: textproto's own reader would make one octet of them.
func (s *taking) text() (string, error) {
	var b strings.Builder
	r := textproto.NewReader(s.in)
	for {
		line, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if line == "." {
			break
		}
		if b.Len()+len(line) <= maxLetter {
			b.WriteString(strings.TrimPrefix(line, ".") + "\r\n")
		}
	}
	if b.Len() >= maxLetter {
		return "", errLong
	}
	return b.String(), nil
}
