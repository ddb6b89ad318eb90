package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	netmail "net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

// A message is a message to submit, with its complete header.
type message struct {
	from  string // the envelope sender
	head  []byte
	body  io.Reader
	size  int64 // 0 if unknown
	given bool  // not made from the URI
	utf8  bool  // the header has addresses beyond US-ASCII
}

// reader returns the whole message.
func (m *message) reader() io.Reader { return io.MultiReader(bytes.NewReader(m.head), m.body) }

// compose returns the message of the URI alone, from the steps of the Plan.
func compose(p *fetch.Plan, who *netmail.Address) (*message, error) {
	text := fromField(who)
	for _, s := range p.When(ifNone) {
		if s.Verb != "" {
			text += s.Line() + "\r\n"
		} else {
			text += "\r\n" + s.Data
		}
	}
	m, err := complete(strings.NewReader(text), who.Address)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(m.body)
	m.given, m.body, m.size = false, bytes.NewReader(body), int64(len(m.head)+len(body))
	return m, err
}

// needsEncoding reports whether text has bytes or lines that RFC 5322 section 2.1 does not allow.
func needsEncoding(text []byte) bool {
	bad := func(c rune) bool { return c >= 0x7f || c < ' ' && c != '\n' && c != '\r' && c != '\t' }
	for line := range bytes.Lines(text) {
		if len(line) > 900 || bytes.ContainsFunc(line, bad) {
			return true
		}
	}
	return false
}

// dateAndID returns the fields Date and Message-ID, if h lacks them (RFC 5322 section 3.6). The Message-ID does not disclose this host.
func dateAndID(h mimemail.Header, from string) string {
	s := ""
	if h.Get("Date") == "" {
		s += "Date: " + time.Now().Format(time.RFC1123Z) + "\r\n"
	}
	if h.Get("Message-Id") == "" {
		s += "Message-ID: <" + rand.Text() + from[strings.LastIndexByte(from, '@'):] + ">\r\n"
	}
	return s
}

// complete adds the missing fields to a message, and removes Bcc and Resent-Bcc (RFC 5322 section 3.6.3). If from is empty, the header names the sender.
func complete(msg io.Reader, from string) (*message, error) {
	in := bufio.NewReaderSize(msg, 64<<10)
	fields, err := maildoc.ReadFields(in, mimemail.MaxHeader)
	if err != nil {
		return nil, err
	}
	var kept bytes.Buffer
	m := &message{body: in, given: true}
	for _, f := range fields {
		if f.Name == "Bcc" || f.Name == "Resent-Bcc" {
			continue
		}
		text, plain := inASCII(f)
		m.utf8 = m.utf8 || !plain
		kept.WriteString(text)
	}
	h := mimemail.ParseHeader(kept.Bytes())
	if from == "" {
		from = authorOf(h)
	}
	who, err := parseSender(from)
	if err != nil {
		return nil, err
	}
	if m.from = who.Address; h.Get("From") == "" {
		kept.WriteString(fromField(who))
	}
	kept.WriteString(dateAndID(h, m.from))
	switch {
	case h.Get("Mime-Version") != "":
		kept.WriteString("\r\n")
	case h.Get("Content-Type") != "" || h.Get("Content-Transfer-Encoding") != "":
		kept.WriteString("MIME-Version: 1.0\r\n\r\n")
	default: // text, but perhaps not US-ASCII (RFC 2045 section 4)
		fields, body, err := textPart(in)
		if err != nil {
			return nil, err
		}
		kept.WriteString("MIME-Version: 1.0\r\n" + fields)
		m.body = body
	}
	m.head = kept.Bytes()
	return m, nil
}

// authorOf returns the address of Sender, or else of From (RFC 5322 section 3.6.2). It returns "" if there is none.
func authorOf(h mimemail.Header) string {
	for _, name := range [...]string{"Sender", "From"} {
		if list, err := netmail.ParseAddressList(h.Get(name)); err == nil {
			return list[0].Address
		}
	}
	return ""
}

// fromField returns the field From. An address alone needs no encoding.
func fromField(who *netmail.Address) string {
	if who.Name == "" {
		return "From: <" + who.Address + ">\r\n"
	}
	return "From: " + who.String() + "\r\n"
}

// charsetOf returns the charset of a text. The last character of the beginning of one may be incomplete.
func charsetOf(text []byte, whole bool) string {
	if !whole {
		text = bytes.TrimRightFunc(text, func(c rune) bool { return c >= 0x80 })
	}
	if utf8.Valid(text) {
		return "utf-8"
	}
	return "unknown-8bit" // RFC 1428
}
