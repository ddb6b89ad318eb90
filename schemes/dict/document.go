package dict

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/urifield"
)

// document returns the Document that the first reply to the request begins.
func (s *session) document(first reply) (*fetch.Document, error) {
	b := &body{session: s, count: -1, define: first.code == 150}
	var text io.Reader = pieces.NewReader(b.text)
	switch first.code {
	case 210: // STATUS: there is nothing but the reply
		text = strings.NewReader(first.text + "\r\n")
	case 110, 111, 112, 113, 114:
		b.within = true
	case 150, 152:
		b.within = !b.define
		digits, _, _ := strings.Cut(first.text, " ")
		if n, ok := urifield.Digits(digits); ok {
			b.count = n
		} else if digits == "" || strings.Trim(digits, "0123456789") != "" {
			s.env.Deviates(map[int]string{150: "RFC 2229 section 3.2.2", 152: "RFC 2229 section 3.3.2"}[first.code], "the first reply", "%d without a number", first.code)
		} else {
			return nil, fetch.Errorf(fetch.ErrProtocol, "impossible number in the reply %d %s", first.code, first.text)
		}
		if s.N > b.count && b.count >= 0 {
			return nil, fetch.Errorf(fetch.ErrNotFound, "no number %d: the server replied %d %s", s.N, first.code, first.text)
		}
	default:
		return nil, first.failure()
	}
	s.conn.BeginBody()
	d := fetch.NewDocument(fetch.NewBody(text, s.conn.Close))
	d.Type, d.TypeReason, d.End = s.plan.Type, "dict sends text in UTF-8", fetch.EndTerminated
	s.list(d)
	return d, nil
}

// A body holds the lines of one text, or of one text for each definition. Each text ends with a line of one dot, the whole response with
// the reply 250 (RFC 2229 §3.2).
type body struct {
	*session
	define bool
	count  int // of definitions or matches, as announced by the server; -1 if it announced none
	seen   int
	within bool // in a text

	lines   []byte
	skipped int64 // bytes
	over    bool
}

// text returns a line of the document, or the head of a text.
func (b *body) text() ([]byte, error) {
	h, line, err := b.next()
	b.lines = b.lines[:0]
	switch {
	case err != nil:
		return nil, err
	case h == nil:
		b.lines = append(append(b.lines, line...), "\r\n"...)
	case b.N == 0:
		b.lines = h.appendTo(b.lines, b.seen)
	}
	return b.lines, nil
}

// A head introduces a definition.
type head struct{ database, description string }

// appendTo writes the head as dict(1) does.
func (h *head) appendTo(dst []byte, number int) []byte {
	if number > 1 {
		dst = append(dst, "\r\n"...)
	}
	return fmt.Appendf(dst, "From %s [%s]:\r\n\r\n", h.description, h.database)
}

// next returns the next head or the next line of a text that was requested.
func (b *body) next() (*head, []byte, error) {
	for !b.over {
		if !b.within {
			h, err := b.between()
			if h != nil || err != nil {
				return h, nil, err
			}
			continue
		}
		line, err := b.conn.ReadLine()
		switch {
		case err == io.EOF:
			return nil, nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, nil, err
		case string(line) == ".":
			b.within = false
			continue
		case !b.define:
			b.seen++
		}
		if b.N == 0 || b.N == b.seen {
			if len(line) > 0 && line[0] == '.' && !bytes.HasPrefix(line, []byte("..")) {
				b.env.Deviates("RFC 2229 section 2.4.3", "the text", "a line that begins with one dot")
			}
			return nil, unstuff(line), nil
		}
		b.skipped += int64(len(line))
		if most := b.env.Limits().Document; most >= 0 && b.skipped > most {
			return nil, nil, fetch.Errorf(fetch.ErrLimit, "more than %d bytes come before number %d", most, b.N)
		}
	}
	return nil, nil, io.EOF
}

// unstuff removes one of two dots at the beginning of a line (RFC 2229 section 2.4.3).
//
// QUIRK: dictd 1.13.0 doubles the dot only in a line of one dot (observed), so a single dot before other text is not stuffing.
func unstuff(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("..")) {
		return line[1:]
	}
	return line
}

// between reads the reply after a text: 151 begins a definition, 250 ends the response.
func (b *body) between() (*head, error) {
	b.conn.BeginPart()
	r, err := b.readReply()
	if err != nil {
		return nil, err
	}
	b.conn.BeginBody()
	switch {
	case b.define && r.code == 151:
		if b.seen++; b.count >= 0 && b.seen > b.count {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the server announced %d definitions and sent more", b.count)
		}
		b.within = true
		h := &head{}
		_, rest := lineproto.CutString(r.text) // the word
		h.database, rest = lineproto.CutString(rest)
		h.description, _ = lineproto.CutString(rest)
		return h, nil
	case r.code != 250:
		return nil, fetch.Errorf(fetch.ErrTransfer, "the server replied %d %s in the middle of the document", r.code, r.text)
	case b.count >= 0 && b.count != b.seen:
		return nil, fetch.Errorf(fetch.ErrTruncated, "got %d of %d definitions or matches", b.seen, b.count)
	case b.N > b.seen: // the server did not announce how many there are
		return nil, fetch.Errorf(fetch.ErrNotFound, "no number %d: the server sent %d", b.N, b.seen)
	}
	b.over = true
	return nil, nil
}
