// Package dictstring writes and reads the strings of DICT's lines (RFC 2229 §2.2): an atom stands as it is, anything else between
// quotes, and a backslash makes the octet behind it an ordinary one.
package dictstring

import "strings"

// Quote writes one string.
func Quote(s string) string {
	special := func(c rune) bool { return c <= ' ' || c == 0x7f || c == '"' || c == '\'' || c == '\\' }
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Cut reads the first string of a line and returns what is behind it. A quote that is not closed is closed by the end of the line.
func Cut(line string) (s, rest string) {
	line = strings.TrimLeft(line, " \t")
	var b strings.Builder
	open := byte(0) // the quote
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
