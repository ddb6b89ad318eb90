package dict

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/dictstring"
	"example.org/deref/schemes/internal/reading"
)

// document makes a Document of what follows the first reply to the command.
func (t *talk) document(r *request, first reply) (*fetch.Document, error) {
	a := &answer{talk: t, n: r.N, count: -1, define: first.code == 150}
	switch first.code {
	case 210: // STATUS: the reply is all there is
		a.lines, a.over = []byte(first.text+"\r\n"), true
	case 110, 111, 112, 113, 114:
		a.within = true
	case 150, 152:
		a.within = !a.define
		digits, _, _ := strings.Cut(first.text, " ")
		if n, ok := reading.Digits(digits); ok {
			a.count = n
		} else if strings.Trim(digits, "0123456789") == "" && digits != "" {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the server says %d %s", first.code, first.text) // more than there can be
		}
		if a.n > a.count && a.count >= 0 {
			return nil, fetch.Errorf(fetch.ErrNotFound, "there is no number %d: the server says %d %s", a.n, first.code, first.text)
		}
	default:
		return nil, first.failure()
	}
	t.conn.BeginBody()
	d := fetch.NewDocument(a)
	d.Type, d.TypeReason, d.End = t.plan.Type, "dict gives text in UTF-8", fetch.EndTerminated
	t.list(d, r)
	return d, nil
}

// An answer is the Body: the lines of one text, or of one for each definition. Each text ends with a line of one dot, all of it
// with the reply 250 (RFC 2229 §3.2).
type answer struct {
	*talk
	define bool
	n      int // the definition or match that is wanted, 0 all
	count  int // how many the server has announced, -1 none
	seen   int
	within bool // a text

	lines   []byte // to be given out
	skipped int64  // octets that are not
	over    bool
}

func (a *answer) Read(p []byte) (int, error) {
	for len(a.lines) == 0 {
		h, line, err := a.next()
		switch {
		case err != nil:
			return 0, err
		case h != nil && a.n == 0:
			a.lines = h.appendTo(a.lines[:0], a.seen)
		case h == nil:
			a.lines = append(append(a.lines[:0], line...), "\r\n"...)
		}
	}
	n := copy(p, a.lines)
	a.lines = a.lines[n:]
	return n, nil
}

func (a *answer) Close() error { return a.conn.Close() }

// A head introduces a definition.
type head struct{ database, description string }

// appendTo writes the head as dict(1) does.
func (h *head) appendTo(b []byte, number int) []byte {
	if number > 1 {
		b = append(b, "\r\n"...)
	}
	return fmt.Appendf(b, "From %s [%s]:\r\n\r\n", h.description, h.database)
}

// next returns the next head, or else the next line that is wanted.
func (a *answer) next() (*head, []byte, error) {
	for !a.over {
		if !a.within {
			h, err := a.between()
			if h != nil || err != nil {
				return h, nil, err
			}
			continue
		}
		line, err := a.conn.ReadLine()
		switch {
		case err == io.EOF:
			return nil, nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, nil, err
		case string(line) == ".":
			a.within = false
			continue
		case !a.define:
			a.seen++
		}
		if a.n == 0 || a.n == a.seen {
			return nil, unstuff(line), nil
		}
		a.skipped += int64(len(line))
		if most := a.env.Limits().Document; most >= 0 && a.skipped > most {
			return nil, nil, fetch.Errorf(fetch.ErrLimit, "more than %d octets are to be passed over before number %d", most, a.n)
		}
	}
	return nil, nil, io.EOF
}

// unstuff halves the dots that begin a line (RFC 2229 §2.4.1).
//
// QUIRK: dictd 1.13.0 doubles that of a line of one dot only (seen), so one dot before anything else was never doubled.
func unstuff(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("..")) {
		return line[1:]
	}
	return line
}

// between reads the reply behind a text: 151 begins a definition, 250 ends all.
func (a *answer) between() (*head, error) {
	r, err := a.reply()
	if err != nil {
		return nil, err
	}
	a.conn.BeginBody()
	switch {
	case a.define && r.code == 151:
		if a.seen++; a.count >= 0 && a.seen > a.count {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the server announced %d, and sends more", a.count)
		}
		a.within = true
		h := &head{}
		_, rest := dictstring.Cut(r.text) // the word
		h.database, rest = dictstring.Cut(rest)
		h.description, _ = dictstring.Cut(rest)
		return h, nil
	case r.code != 250:
		return nil, fetch.Errorf(fetch.ErrTransfer, "the server says %d %s in the middle of its answer", r.code, r.text)
	case a.count >= 0 && a.count != a.seen:
		return nil, fetch.Errorf(fetch.ErrTruncated, "the server announced %d, and sent %d", a.count, a.seen)
	}
	a.over = true
	return nil, nil
}
