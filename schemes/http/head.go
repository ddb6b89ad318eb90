package http

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
)

// head is the status line and the header of an answer.
type head struct {
	major, minor int
	status       int
	reason       string
	header       textproto.MIMEHeader
}

// version is the one that the answer is in. That of HTTP/0.9 has nothing to say it by.
func (h *head) version() string {
	switch {
	case h.major == 1 && h.minor == 1:
		return "HTTP/1.1" // without making a string
	case h.major == 0:
		return "HTTP/0.9"
	case h.major == 2:
		return "HTTP/2"
	}
	return fmt.Sprintf("HTTP/%d.%d", h.major, h.minor)
}

// maxInterim bounds the 1xx answers before the final one (RFC 9110 section 15.2): more is nothing but delay.
const maxInterim = 8

// readHead reads up to the end of the final answer's header, and finds out where its body ends.
func (x *exchange) readHead() error {
	for range maxInterim + 1 {
		simple, err := x.isSimpleAnswer()
		if err != nil {
			return err
		}
		if simple {
			x.head = head{status: 200, reason: "", header: textproto.MIMEHeader{}}
			x.size = untilClose
			return nil
		}
		if x.head, err = readHead(x.s.in); err != nil {
			return x.cut(err)
		}
		if x.head.status == 101 {
			return fetch.Errorf(fetch.ErrProtocol, "the server switches protocols, which nobody asked for")
		}
		if x.head.status >= 200 {
			x.size, err = frame(&x.head, x.plan.Options.Op == fetch.Metadata)
			return err
		}
		x.s.conn.Record(fetch.RecordHead)
	}
	return fetch.Errorf(fetch.ErrProtocol, "more than %d interim answers", maxInterim)
}

// isSimpleAnswer reports whether the answer is the Simple-Response of HTTP/0.9, which has no status line (RFC 1945 section 6.1).
// Asked in HTTP/0.9, every answer is one; else only what begins like the HTML that HTTP/0.9 was made for, so that the greeting of
// some other service is not taken for a document.
func (x *exchange) isSimpleAnswer() (bool, error) {
	b, err := x.s.in.Peek(5)
	if len(b) == 0 && err != nil {
		return false, err
	}
	if isSimple(x.plan.Steps) {
		return true, nil
	}
	switch {
	case bytes.HasPrefix(b, []byte("HTTP/")):
		return false, nil
	case bytes.HasPrefix(bytes.TrimLeft(b, "\r\n\t "), []byte("<")):
		return x.plan.Options.Op == fetch.Retrieve, nil
	case err != nil && (fetch.KindOf(err) != fetch.ErrTruncated || bytes.HasPrefix([]byte("HTTP/"), b)):
		return false, err
	}
	return false, fetch.Errorf(fetch.ErrProtocol, "the answer does not begin with HTTP/")
}

// cut says what an unreadable header is when the connection has failed within it: textproto takes what came of the last line for all
// of it.
func (x *exchange) cut(err error) error {
	if x.s.fault == nil || x.s.in.Buffered() > 0 {
		return err
	}
	return x.s.fault
}

func readHead(in *bufio.Reader) (h head, err error) {
	if h, ok := plainHead(in); ok {
		return h, nil
	}
	t := textproto.NewReader(in)
	line, err := t.ReadLine()
	if err != nil {
		return h, headError(err)
	}
	if err := h.statusLine(line); err != nil {
		return h, err
	}
	if h.header, err = t.ReadMIMEHeader(); err != nil {
		return h, headError(err)
	}
	return h, checkHeader(h.header)
}

// headError gives a kind to what textproto says: errors of the connection have theirs.
func headError(err error) error {
	switch {
	case fetch.KindOf(err) != "":
		return err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrTruncated, "the connection was closed within the answer's fields")
	}
	return fetch.Errorf(fetch.ErrProtocol, "the answer's header: %v", err)
}

// statusLine reads HTTP-version SP status-code SP [ reason ]. RFC 9112 section 4; the blank before a void reason may be missing.
func (h *head) statusLine(line string) error {
	version, rest, _ := strings.Cut(line, " ")
	v, ok := strings.CutPrefix(version, "HTTP/")
	if !ok || len(v) != 3 || v[1] != '.' || !isDigit(v[0]) || !isDigit(v[2]) {
		return fetch.Errorf(fetch.ErrProtocol, "the answer begins with no version of HTTP")
	}
	h.major, h.minor = int(v[0]-'0'), int(v[2]-'0')
	if h.major != 1 {
		return fetch.Errorf(fetch.ErrProtocol, "the server answers in %s", version)
	}
	code, reason, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, ok := digits(code)
	if !ok || len(code) != 3 || n < 100 { // 600 and above count as 5xx: RFC 9110 section 15
		return fetch.Errorf(fetch.ErrProtocol, "the answer has no status code")
	}
	h.status, h.reason = int(n), reason
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// checkHeader refuses what other programs could read as another header than we do: a blank before the colon, NUL, a lone CR
// (RFC 9112 sections 5.1 and 2.2).
func checkHeader(h textproto.MIMEHeader) error {
	for name, values := range h {
		if !isToken(name) {
			return fetch.Errorf(fetch.ErrProtocol, "a field's name in the answer is no token")
		}
		for _, v := range values {
			if strings.ContainsAny(v, "\r\x00") {
				return fetch.Errorf(fetch.ErrProtocol, "CR or NUL in the answer's field %s", name)
			}
		}
	}
	return nil
}
