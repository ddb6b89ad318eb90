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

// A head is the status line and the header of a response.
type head struct {
	major, minor int
	status       int
	reason       string
	header       textproto.MIMEHeader
	noBlank      bool // the blank between status and reason is missing
	blanks       bool // there are several before the status
	folded       bool // a field has several lines; only known in strict mode
}

// version returns the version of the response. An HTTP/0.9 response does not contain one.
func (h *head) version() string {
	switch {
	case h.major == 1 && h.minor == 1:
		return "HTTP/1.1" // without an allocation
	case h.major == 0:
		return "HTTP/0.9"
	case h.major == 2:
		return "HTTP/2"
	}
	return fmt.Sprintf("HTTP/%d.%d", h.major, h.minor)
}

// maxInterim bounds the 1xx responses before the final one (RFC 9110 section 15.2). More only cause delay.
const maxInterim = 8

// readHead reads up to the end of the final response's header, and determines where its body ends.
func (x *exchange) readHead() error {
	for range maxInterim + 1 {
		simple, err := x.isSimpleResponse()
		if err != nil {
			return err
		}
		if simple {
			x.head = head{status: 200, reason: "", header: textproto.MIMEHeader{}}
			x.size = untilClose
			if x.version != "HTTP/0.9" {
				x.env.Deviates("RFC 9112 section 2.1", "the response", "no status line and no header")
			}
			return nil
		}
		folded := x.env.Strict() && hasFold(x.s.in)
		if x.head, err = readHead(x.s.in, x.values[:]); err != nil {
			return x.headerError(err)
		}
		x.head.folded = folded
		if x.head.status == 101 {
			return fetch.Errorf(fetch.ErrProtocol, "the server switches protocols without a request to do so")
		}
		if x.head.status >= 200 {
			x.size, err = bodySize(&x.head, x.plan.Options.Op == fetch.Metadata)
			x.strict()
			return err
		}
		x.s.conn.Record(fetch.RecordHead)
	}
	return fetch.Errorf(fetch.ErrProtocol, "more than %d interim responses", maxInterim)
}

// isSimpleResponse reports whether the response is the Simple-Response of HTTP/0.9, which has no status line (RFC 1945 section 6.1). Every
// response to an HTTP/0.9 request is one. To other requests, it must begin like the HTML for which HTTP/0.9 was made, so that the greeting
// of another service is not mistaken for a document.
func (x *exchange) isSimpleResponse() (bool, error) {
	b, err := x.s.in.Peek(5)
	if len(b) == 0 && err != nil {
		return false, err
	}
	if x.version == "HTTP/0.9" {
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
	return false, fetch.Errorf(fetch.ErrProtocol, "the response does not begin with HTTP/")
}

// headerError returns the connection's error for a header that could not be read because the connection failed. textproto accepts an
// incomplete last line as a line.
func (x *exchange) headerError(err error) error {
	if x.s.fault == nil || x.s.in.Buffered() > 0 {
		return err
	}
	return x.s.fault
}

func readHead(in *bufio.Reader, values []string) (h head, err error) {
	if h, ok := plainHead(in, values); ok {
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

// headError sets the Kind of an error of textproto. Errors of the connection have one already.
func headError(err error) error {
	switch {
	case fetch.KindOf(err) != "":
		return err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrTruncated, "the connection was closed within the header of the response")
	}
	return fetch.Errorf(fetch.ErrProtocol, "cannot parse the header of the response: %v", err)
}

// statusLine parses HTTP-version SP status-code SP [ reason ]. RFC 9112 section 4; the space before an empty reason may be missing.
func (h *head) statusLine(line string) error {
	version, rest, _ := strings.Cut(line, " ")
	v, ok := strings.CutPrefix(version, "HTTP/")
	if !ok || len(v) != 3 || v[1] != '.' || !isDigit(v[0]) || !isDigit(v[2]) {
		return fetch.Errorf(fetch.ErrProtocol, "the response does not begin with a version of HTTP")
	}
	h.major, h.minor = int(v[0]-'0'), int(v[2]-'0')
	if h.major != 1 {
		return fetch.Errorf(fetch.ErrProtocol, "the server responds with %s, not with HTTP/1", version)
	}
	code, reason, blank := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, ok := digits(code)
	if !ok || len(code) != 3 || n < 100 { // 600 and above count as 5xx: RFC 9110 section 15
		return fetch.Errorf(fetch.ErrProtocol, "the response has no status code")
	}
	h.status, h.reason, h.noBlank, h.blanks = int(n), reason, !blank, strings.HasPrefix(rest, " ")
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// checkHeader refuses what other programs could parse as another header than we do: a space before the colon, NUL, or a lone CR (RFC 9112
// sections 5.1 and 2.2).
func checkHeader(h textproto.MIMEHeader) error {
	for name, values := range h {
		if !isToken(name) {
			return fetch.Errorf(fetch.ErrProtocol, "the name of a field in the response is not a token")
		}
		for _, v := range values {
			if strings.ContainsAny(v, "\r\x00") {
				return fetch.Errorf(fetch.ErrProtocol, "CR or NUL in the response's field %s", name)
			}
		}
	}
	return nil
}
