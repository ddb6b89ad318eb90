package gopher

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// Gopher+ ("Gopher+, upward compatible enhancements to the Internet Gopher protocol", 1993) puts a line before its answers: a
// plus sign or, for an error, a minus sign, and how the end can be found.
const (
	endsWithDot   = -1 // lines, dots doubled, up to a line of one dot
	endsWithClose = -2
)

// A plusHead is that line.
type plusHead struct {
	fails  bool
	length int64 // octets, or one of the two above
}

// longestHead is more than any head needs.
const longestHead = 32

// parseHead reads a head, without its line end.
func parseHead(line string) (h plusHead, ok bool) {
	line = strings.TrimRight(line, "\r ")
	if len(line) < 2 || line[0] != '+' && line[0] != '-' {
		return h, false
	}
	n, err := strconv.ParseInt(line[1:], 10, 64)
	return plusHead{line[0] == '-', n}, err == nil && n >= endsWithClose && line[1] != '+'
}

// head takes the head off an answer; ok is false, and nothing is taken, if the server does not speak Gopher+.
func (a *answer) head() (h plusHead, ok bool) {
	for {
		line, rest, whole := bytes.Cut(a.ahead, []byte("\n"))
		if whole {
			if h, ok = parseHead(string(line)); ok {
				a.ahead = rest
			}
			return h, ok
		}
		if len(a.ahead) > longestHead || strings.IndexByte("+-", a.ahead[0]) < 0 || !a.more() {
			return h, false
		}
	}
}

// plusDocument makes a document of the answer to a request with a Gopher+ field. A server that knows nothing of Gopher+ answers
// as if the field were not there.
func plusDocument(r *gopherURI, a *answer, env *fetch.Env) (*fetch.Document, error) {
	if err := a.first(); err != nil {
		return nil, err
	}
	h, ok := a.head()
	switch {
	case !ok && (*r.Plus)[0] == '+':
		return plainDocument(r, a, env)
	case !ok:
		if err := a.judge(); err != nil {
			return nil, err
		}
		return nil, fetch.Errorf(fetch.ErrProtocol, "the answer is not one of Gopher+")
	case h.fails:
		return a.plusFailure(h)
	}
	d := fetch.NewDocument(nil)
	a.limit(d, h)
	r.describePlus(d, a, env)
	return d, nil
}

// limit gives d the Body that ends where h says.
func (a *answer) limit(d *fetch.Document, h plusHead) {
	switch h.length {
	case endsWithDot:
		d.Body, d.End = newDotted(a), fetch.EndTerminated
	case endsWithClose:
		d.Body, d.End = a, fetch.EndClosed
	default:
		d.Body, d.End, d.Size = &counted{a, h.length}, fetch.EndDeclared, h.length
	}
}

// describePlus finds type and entries.
func (r *gopherURI) describePlus(d *fetch.Document, a *answer, env *fetch.Env) {
	most := env.Limits().Line
	view := strings.TrimPrefix(string(*r.Plus), "+")
	view, _, _ = strings.Cut(view, "\t")
	switch {
	case (*r.Plus)[0] != '+':
		d.Type, d.TypeReason = plusMenuType, "Gopher+ attributes"
		d.ListWith(newMenu(r, d, most).entries)
		return
	case strings.Contains(view, "/"):
		d.Type, _, _ = strings.Cut(view, " ")
		d.TypeReason = "Gopher+ view " + view
	default:
		d.Type, d.TypeReason = documentType(r.item(), string(r.Selector), a.ahead)
	}
	if isMenu(r.item()) {
		if d.End == fetch.EndClosed {
			d.Body = newText(a, d, most) // bounds the lines
		}
		d.ListWith(newMenu(r, d, most).entries)
	}
}

// counted is a Body of a given length.
type counted struct {
	*answer
	left int64
}

func (c *counted) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.answer.Read(p[:min(int64(len(p)), c.left)])
	return n, c.took(int64(n), err)
}

func (c *counted) WritePiece(w io.Writer, most int64) (int64, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.answer.WritePiece(w, min(most, c.left))
	return n, c.took(n, err)
}

func (c *counted) took(n int64, err error) error {
	c.left -= n
	if err == io.EOF && c.left > 0 {
		return fetch.Errorf(fetch.ErrTruncated, "%d octets are missing of the length that was given", c.left)
	}
	return err
}
