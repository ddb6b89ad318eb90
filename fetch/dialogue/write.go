package dialogue

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// append appends the line in the form that Parse reads.
func (l Line) append(b []byte) []byte {
	if l.Dir != '*' {
		b = appendData(b, l.Dir, l.Conn, l.Data)
		for _, alt := range l.Or {
			b = appendLine(b, l.Dir, l.Conn, '|', alt)
		}
		return b
	}
	words := clean(l.Words)
	switch {
	case l.Mark == Remark:
		words = "(" + clean(l.Arg) + ")"
	case l.Mark != "" && l.Arg == "":
		words = "[" + string(l.Mark) + "]"
	case l.Mark != "":
		words = "[" + string(l.Mark) + " " + clean(l.Arg) + "]"
	case strings.HasPrefix(words, "["), strings.HasPrefix(words, "("):
		words = fmt.Sprintf(`\x%02x`, words[0]) + words[1:]
	}
	return append(append(appendHead(b, '*', l.Conn, ':'), words...), '\n')
}

// Text returns the bytes p of a connection in the notation of a Script, with escapes and never in base64, for people to read. dir is 'C' or
// 'S'. The text ends with a newline; it is empty if p is.
func Text(dir byte, conn int, p []byte) string {
	var b []byte
	for line := range bytes.Lines(p) {
		b = appendLine(b, dir, conn, ':', line)
	}
	return string(b)
}

func appendHead(b []byte, dir byte, conn int, form byte) []byte {
	b = append(b, dir)
	if conn != 1 {
		b = strconv.AppendInt(b, int64(conn), 10)
	}
	return append(b, form, ' ')
}

// appendData appends text as lines, and other bytes in base64.
func appendData(b []byte, dir byte, conn int, data []byte) []byte {
	if conn == 0 {
		return appendDatagram(b, dir, data)
	}
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n') + 1
		if n == 0 {
			n = len(data)
		}
		if IsBinary(data[:n]) {
			return appendBase64(b, dir, conn, data)
		}
		b, data = appendLine(b, dir, conn, ':', data[:n]), data[n:]
	}
	return b
}

func appendLine(b []byte, dir byte, conn int, form byte, line []byte) []byte {
	b = appendHead(b, dir, conn, form)
	if text, ok := bytes.CutSuffix(line, []byte("\r\n")); ok {
		return append(trimBlank(appendEscaped(b, text), len(text) > 0), '\n')
	}
	return append(appendEscaped(b, line), "\\\n"...)
}

// trimBlank escapes a blank at the end of a line, which editors would remove. It removes the blank of the head if the line is empty.
func trimBlank(b []byte, text bool) []byte {
	switch n := len(b) - 1; {
	case b[n] != ' ':
		return b
	case text:
		return append(b[:n], `\x20`...)
	default:
		return b[:n]
	}
}

// appendDatagram appends data as one datagram.
func appendDatagram(b []byte, dir byte, data []byte) []byte {
	if IsBinary(data) {
		b = appendHead(b, dir, 0, '=')
		return append(base64.StdEncoding.AppendEncode(b, data), '\n')
	}
	for {
		n := bytes.IndexByte(data, '\n') + 1
		if n == 0 || n == len(data) {
			return append(trimBlank(appendEscaped(appendHead(b, dir, 0, ':'), data), len(data) > 0), '\n')
		}
		b = append(appendEscaped(appendHead(b, dir, 0, ':'), data[:n]), "\\\n"...)
		data = data[n:]
	}
}

// frameRow is after how many bytes of a frame a row ends, when a text in it ends, too.
const frameRow = 64

// appendFrame appends bytes of a protocol of frames, with escapes. Those of the server are wrapped. Those of the client are not: a secret in them is a
// row of asterisks, which must stay whole to match.
func appendFrame(b []byte, dir byte, conn int, data []byte) []byte {
	row := frameRow
	if dir == 'C' {
		row = len(data)
	}
	for len(data) > 0 {
		n := min(row, len(data))
		for n < len(data) && isASCII(data[n-1]) && isASCII(data[n]) {
			n++
		}
		b = appendEscaped(appendHead(b, dir, conn, ':'), data[:n])
		if data = data[n:]; conn != 0 || len(data) > 0 {
			b = append(b, '\\')
		} else {
			b = trimBlank(b, true)
		}
		b = append(b, '\n')
	}
	return b
}

func isASCII(c byte) bool { return c >= ' ' && c < 0x7f }

// base64Row is how many bytes fit into a row of 76 characters (RFC 2045 section 6.8).
const base64Row = 57

func appendBase64(b []byte, dir byte, conn int, data []byte) []byte {
	for row := range slices.Chunk(data, base64Row) {
		b = appendHead(b, dir, conn, '=')
		b = append(base64.StdEncoding.AppendEncode(b, row), '\n')
	}
	return b
}

// IsBinary reports whether more than an eighth of the bytes would need an escape.
func IsBinary(data []byte) bool {
	bad := 0
	for p := data; len(p) > 0; {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0x7f {
			bad++
		}
		p = p[n:]
	}
	return bad > 2 && bad > len(data)/8
}

func appendEscaped(b, p []byte) []byte {
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case r == '\\':
			b = append(b, `\\`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r):
			for _, c := range p[:n] {
				b = fmt.Appendf(b, `\x%02x`, c)
			}
		default:
			b = append(b, p[:n]...)
		}
		p = p[n:]
	}
	return b
}

// clean escapes s so that it is one line.
func clean(s string) string { return string(appendEscaped(nil, []byte(s))) }

// Words returns a step as a trace shows it: its line, its Data and Tail, and its address if it is not the Plan's.
func Words(s fetch.Step) string {
	b := []byte(s.Line())
	if s.Secret {
		b = append([]byte(s.Verb), " ***"...)
	}
	switch {
	case s.Data == "":
	case len(s.Data) > 200:
		b = fmt.Appendf(b, " <%d octets>", len(s.Data))
	default:
		b = strconv.AppendQuote(append(b, ' '), s.Data)
	}
	for _, a := range s.Tail {
		b = append(append(b, ' '), a...)
	}
	if s.At != "" {
		b = fmt.Appendf(b, " (to %s)", s.At)
	}
	return string(b)
}
