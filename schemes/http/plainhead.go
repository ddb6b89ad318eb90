package http

import (
	"bufio"
	"bytes"
	"net/textproto"
	"strings"
)

// plainHead reads a head that has come whole and is as plain as nearly all are, with one string and one slice for all of its fields. What
// it does not read it leaves where it is, to the reader that says what is wrong: ok is false for folded lines, names that are no tokens,
// lone CRs and LFs, controls.
func plainHead(in *bufio.Reader) (h head, ok bool) {
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
	values := make([]string, n-1)
	for i := range values {
		line, text, _ = strings.Cut(text, "\r\n")
		name, value, found := strings.Cut(line, ":")
		if name = fieldName(name); name == "" || !found {
			return h, false
		}
		values[i] = strings.Trim(value, " \t")
		if said := h.header[name]; said != nil {
			h.header[name] = append(said, values[i])
		} else {
			h.header[name] = values[i : i+1 : i+1]
		}
	}
	in.Discard(end + len("\r\n\r\n"))
	return h, true
}

// controls counts the control characters, TAB being none.
func controls(s string) (n int) {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			n++
		}
	}
	return n
}

// fieldName is the canonical form of a field's name, void if it is no token. Most servers send that form itself.
func fieldName(s string) string {
	if !isToken(s) {
		return ""
	}
	first := true // of a word
	for i := range len(s) {
		if c := s[i]; first && 'a' <= c && c <= 'z' || !first && 'A' <= c && c <= 'Z' {
			return textproto.CanonicalMIMEHeaderKey(s)
		}
		first = s[i] == '-'
	}
	return s
}
