package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// Lengths in the head of a Gopher+ response that are not a number of bytes.
const (
	endsWithDot   = -1 // lines with doubled dots, up to a line of one dot
	endsWithClose = -2
)

// A plusHead is the first line of a Gopher+ response ("Gopher+, upward compatible enhancements to the Internet Gopher protocol", 1993): a
// plus sign, or a minus sign for an error, and the length.
type plusHead struct {
	isError bool
	length  int64 // in bytes, or one of the constants above
}

// maxHead is longer than any head.
const maxHead = 32

// parseHead parses a head without its line end.
func parseHead(line string) (h plusHead, ok bool) {
	line = strings.TrimRight(line, "\r ")
	if len(line) < 2 || line[0] != '+' && line[0] != '-' {
		return h, false
	}
	n, err := strconv.ParseInt(line[1:], 10, 64)
	return plusHead{line[0] == '-', n}, err == nil && n >= endsWithClose && line[1] != '+'
}

// findHead parses the head at the beginning of a response. It returns more if that is not complete yet, and neither if the server does not
// support Gopher+.
func findHead(p []byte) (h plusHead, ok, more bool) {
	if line, _, complete := bytes.Cut(p, []byte("\n")); complete {
		h, ok = parseHead(string(line))
		return h, ok, false
	}
	return h, false, len(p) == 0 || len(p) <= maxHead && strings.IndexByte("+-", p[0]) >= 0
}

// readHead reads the head of the response, and nothing after it. It returns false, and leaves the whole response, if the server does not
// support Gopher+. Attributes and errors belong to the reply that begins here; before a document the caller calls Conn.BeginBody.
func readHead(c *fetch.Conn) (plusHead, bool, error) {
	c.BeginUntilClose() // without Gopher+, and after "+-2", the response ends with the connection
	for n := 0; ; {
		p, err := c.Peek(n + 1)
		n = len(p)
		switch h, ok, more := findHead(p); {
		case ok:
			_, err := c.ReadLine()
			return h, true, err
		case !more, n > 0 && err == io.EOF:
			c.BeginBody()
			return h, false, nil
		case n == 0 && errors.Is(err, io.ErrUnexpectedEOF):
			return h, false, errEmpty
		case err != nil:
			return h, false, err
		}
	}
}

// plusDocument returns the document of the response to a request with a Gopher+ field. A server without Gopher+ ignores the field.
func plusDocument(r *request, c *fetch.Conn, env *fetch.Env) (*fetch.Document, error) {
	h, ok, err := readHead(c)
	switch {
	case err != nil:
		return nil, err
	case !ok && r.plus()[0] == '+':
		return plainDocument(r, c, env)
	case !ok:
		if _, err := checkError(c, env); err != nil {
			return nil, err
		}
		return nil, fetch.Errorf(fetch.ErrProtocol, "the response is not in the form of Gopher+")
	case h.isError:
		return r.plusFailure(c, h)
	}
	c.BeginBody()
	d := fetch.NewDocument(nil)
	setBody(d, c, h)
	if err := r.describePlus(d, c, env); err != nil {
		return nil, err
	}
	return d, nil
}

// setBody sets the Body of d to the part of c that h announces.
func setBody(d *fetch.Document, c io.ReadCloser, h plusHead) {
	switch h.length {
	case endsWithDot:
		d.Body, d.End = fetch.NewBody(lineproto.NewDotReader(bufio.NewReaderSize(c, headLen)), c.Close), fetch.EndTerminated
	case endsWithClose:
		d.Body, d.End = c, fetch.EndClosed
	default:
		d.Body, d.End, d.Size = &countedBody{c, h.length}, fetch.EndDeclared, h.length
	}
}

// describePlus sets the type and entries of d.
func (r *request) describePlus(d *fetch.Document, c *fetch.Conn, env *fetch.Env) error {
	most := env.Limits().Line
	view := strings.TrimPrefix(r.plus(), "+")
	view, _, _ = strings.Cut(view, "\t")
	switch {
	case r.plus()[0] != '+':
		d.Type, d.TypeReason = plusMenuType, "Gopher+ attributes"
		d.ListWith(newMenu(r, d, most, env.Deviates).entries)
		return nil
	case strings.Contains(view, "/"):
		d.Type, _, _ = strings.Cut(view, " ")
		d.TypeReason = "Gopher+ view " + view
	default:
		var head []byte
		if t, _ := nameType(r.item(), string(r.Selector)); t == "" && d.Size != 0 {
			var err error
			if head, err = c.Peek(1); err != nil && err != io.EOF {
				return err
			}
		}
		d.Type, d.TypeReason = documentType(r.item(), string(r.Selector), head)
	}
	if isMenu(r.item()) {
		if d.End == fetch.EndClosed {
			d.Body = newTextBody(c, d, most, nil) // limits the lines
		}
		d.ListWith(newMenu(r, d, most, env.Deviates).entries)
	}
	return nil
}

// A countedBody is a Body of a given length.
type countedBody struct {
	io.ReadCloser
	left int64
}

func (c *countedBody) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if err == io.EOF && c.left > 0 {
		return n, fetch.Errorf(fetch.ErrTruncated, "%d bytes of the announced length are missing", c.left)
	}
	return n, err
}
