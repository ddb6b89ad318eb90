package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// A message is what is submitted: its header as it will be, and what follows.
type message struct {
	from  string // who sends it
	head  []byte
	body  io.Reader
	size  int64 // 0 is unknown
	given bool
	utf8  bool // its header has addresses beyond US-ASCII
}

// reader is the whole with the line ends of the network.
func (m *message) reader() io.Reader {
	return &lineEnds{in: bufio.NewReader(io.MultiReader(bytes.NewReader(m.head), m.body))}
}

// compose makes the message of the URI alone, from the steps of the Plan.
func (r letter) compose(p *fetch.Plan, who *netmail.Address) *message {
	var head, body bytes.Buffer
	head.WriteString(fromField(who))
	for _, s := range p.When(ifNone) {
		if s.Verb != "" {
			fmt.Fprintf(&head, "%s\r\n", s.Line())
			continue
		}
		body.WriteString(s.Data)
	}
	head.WriteString(stamp(nil, who.Address))
	head.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n")
	text := body.Bytes()
	if needsCoding(text) { // a server without 8BITMIME takes it, too
		var coded bytes.Buffer
		w := quotedprintable.NewWriter(&coded)
		w.Write(text)
		w.Close()
		text = coded.Bytes()
		head.WriteString("Content-Transfer-Encoding: quoted-printable\r\n")
	}
	head.WriteString("\r\n")
	return &message{from: who.Address, head: head.Bytes(), body: bytes.NewReader(text), size: int64(head.Len() + len(text))}
}

// needsCoding reports octets or lines that RFC 5322 section 2.1 does not allow.
func needsCoding(text []byte) bool {
	for line := range bytes.Lines(text) {
		if len(line) > 900 || bytes.ContainsFunc(line, func(c rune) bool { return c >= 0x7f || c < ' ' && c != '\n' && c != '\r' && c != '\t' }) {
			return true
		}
	}
	return false
}

// stamp makes the fields that every message has and h has not: RFC 5322 section 3.6. The Message-ID tells nothing of this host.
func stamp(h mimemail.Header, from string) string {
	s := ""
	if h.Get("Date") == "" {
		s += "Date: " + time.Now().Format(time.RFC1123Z) + "\r\n"
	}
	if h.Get("Message-Id") == "" {
		s += "Message-ID: <" + rand.Text() + from[strings.LastIndexByte(from, '@'):] + ">\r\n"
	}
	return s
}

// given takes a message as it is; where from is void its header says who sends it. It gets the fields that it lacks; Bcc goes no further (RFC 5322 section 3.6.3).
func given(msg io.Reader, from string) (*message, error) {
	in := bufio.NewReaderSize(msg, 64<<10)
	fields, err := readFields(in)
	if err != nil {
		return nil, err
	}
	var kept bytes.Buffer
	m := &message{body: in, given: true}
	for _, f := range fields {
		if f.name == "Bcc" {
			continue
		}
		text, plain := f.ascii()
		m.utf8 = m.utf8 || !plain
		kept.WriteString(text)
	}
	h := mimemail.ParseHeader(kept.Bytes())
	if from == "" {
		from = author(h)
	}
	who, err := senderOf(from)
	if err != nil {
		return nil, err
	}
	if m.from = who.Address; h.Get("From") == "" {
		kept.WriteString(fromField(who))
	}
	kept.WriteString(stamp(h, m.from) + mimeFields(h, in) + "\r\n")
	m.head = kept.Bytes()
	return m, nil
}

// mimeFields are those that h lacks: RFC 2045 section 4. What nothing is said of is text, and not surely US-ASCII.
func mimeFields(h mimemail.Header, body *bufio.Reader) string {
	if h.Get("Mime-Version") != "" {
		return ""
	}
	s := "MIME-Version: 1.0\r\n"
	if h.Get("Content-Type") != "" || h.Get("Content-Transfer-Encoding") != "" {
		return s
	}
	charset := "utf-8"
	body.Peek(1)
	if p, _ := body.Peek(body.Buffered()); !utf8.Valid(bytes.TrimRightFunc(p, func(c rune) bool { return c >= 0x80 })) {
		charset = "unknown-8bit" // RFC 1428
	}
	return s + "Content-Type: text/plain; charset=" + charset + "\r\nContent-Transfer-Encoding: 8bit\r\n"
}

// lineEnds makes CRLF of CR, LF and CRLF: RFC 5321 section 2.3.8 allows neither CR nor LF alone, and what a server makes of them is how
// messages are smuggled into others.
type lineEnds struct {
	in   *bufio.Reader
	cr   bool // the last was CR, whose CRLF was given
	rest []byte
}

func (l *lineEnds) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		b, err := l.in.Peek(1)
		if len(b) == 0 {
			return 0, err
		}
		b, _ = l.in.Peek(l.in.Buffered())
		l.rest = l.convert(b)
		l.in.Discard(len(b))
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lineEnds) convert(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/16+2)
	for _, c := range b {
		switch {
		case c == '\n' && l.cr:
		case c == '\n' || c == '\r':
			out = append(out, "\r\n"...)
		default:
			out = append(out, c)
		}
		l.cr = c == '\r'
	}
	return out
}
