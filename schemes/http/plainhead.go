package http

import (
	"bufio"
	"bytes"
	"net/textproto"
	"slices"
	"strings"
)

// plainHead parses a head that is completely buffered and as plain as nearly all are, with one string for all of its fields, and values, whose
// memory it may use.
// It leaves any other head in the buffer, for the parser that reports what is wrong, and returns false: one with folded lines, names that
// are not tokens, lone CRs or LFs, or control characters. That parser makes a string of each field, which a small
// document spends time on (BenchmarkSmallDocuments).
func plainHead(in *bufio.Reader, values []string) (h head, ok bool) {
	buf, _ := in.Peek(in.Buffered())
	end := bytes.Index(buf, []byte("\r\n\r\n"))
	if end < 0 {
		return h, false
	}
	text := string(buf[:end+len("\r\n")])
	n := strings.Count(text, "\r\n")
	if n != controls(text)-n {
		return h, false
	}
	line, text, _ := strings.Cut(text, "\r\n")
	if h.statusLine(line) != nil {
		return h, false
	}
	h.header = make(textproto.MIMEHeader, n-1)
	values = slices.Grow(values[:0], n-1)[:n-1]
	for i := range values {
		line, text, _ = strings.Cut(text, "\r\n")
		name, value, found := strings.Cut(line, ":")
		if !isToken(name) || !found {
			return h, false
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		values[i] = textproto.TrimString(value)
		if earlier := h.header[name]; earlier != nil {
			h.header[name] = append(earlier, values[i])
		} else {
			h.header[name] = values[i : i+1 : i+1]
		}
	}
	in.Discard(end + len("\r\n\r\n"))
	return h, true
}

// controls counts the control characters except TAB.
func controls(s string) (n int) {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			n++
		}
	}
	return n
}
