package lineproto

import "strings"

// QuoteString writes one string of a line of DICT (RFC 2229 §2.2). An atom is written as is, any other string in quotes. A backslash makes the next
// character literal.
func QuoteString(s string) string {
	special := func(c rune) bool { return c <= ' ' || c == 0x7f || c == '"' || c == '\'' || c == '\\' }
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// CutString splits off the first string of a line. The end of the line ends an unclosed quote.
func CutString(line string) (s, rest string) {
	line = strings.TrimLeft(line, " \t")
	var b strings.Builder
	open := byte(0) // the open quote, or 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case open != 0 && c == open:
			open = 0
		case open == 0 && (c == ' ' || c == '\t'):
			return b.String(), strings.TrimLeft(line[i:], " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
