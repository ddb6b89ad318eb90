package uri

import "strings"

// bracket reads what stands behind the "<" at i. The second result is where to go on.
func (f Finder) bracket(text string, i int) (Found, int, bool) {
	start := i + 1
	inner, end := unwrap(text, start)
	if end < 0 {
		return Found{}, start, false
	}
	s, prefixed := cutPrefix(inner)
	n, _, _ := scanScheme(s)
	if n == 0 || !prefixed && !f.plausible(s, n) || !whole(text[start:end], n) {
		return Found{}, start, false
	}
	u, err := Parse(s)
	if err != nil || n+1 == len(s) {
		return Found{}, start, false
	}
	return Found{u, start, end}, end + 1, true
}

// whole reports whether the scheme of n octets stands in inner in one piece: in
// "<see http://h/>" it does not, once the space is dropped.
func whole(inner string, n int) bool {
	s, _ := cutPrefix(strings.TrimLeft(inner, " \t\r\n"))
	s = strings.TrimLeft(s, " \t\r\n")
	return len(s) > n && s[n] == ':'
}

// unwrap returns what stands between start and the next ">", without white
// space; -1 where "<", the end of the text, or after a blank another URI comes
// first. In a line that quotes
// mail the quotation marks at the start of the next lines are not its end.
func unwrap(text string, start int) (string, int) {
	var b []byte
	asked, quoted := false, false
	word := 0 // where the last word starts in b
	for i := start; i < len(text) && i-start < MaxLen; i++ {
		switch c := text[i]; {
		case c == '<':
			return "", -1
		case c == '>':
			return string(b), i
		case c == '\n':
			if !asked {
				asked, quoted = true, quotes(text, start)
			}
			if quoted {
				i += quoteMarks(text[i+1:])
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			if !asked {
				word = len(b)
			}
		case c == ':' && word > 0 && !asked && !strings.EqualFold(string(b[:word]), "url:") && len(b)-word <= maxScheme &&
			strings.HasPrefix(text[i:], "://") && isScheme(string(b[word:])):
			return "", -1
		default:
			b = append(b, c)
		}
	}
	return "", -1
}

func isScheme(s string) bool {
	n, _, _ := scanScheme(s + ":")
	return n > 0 && n == len(s)
}

// quotes reports whether the line that holds i starts with a mark of quotation.
func quotes(text string, i int) bool {
	line := strings.TrimLeft(text[strings.LastIndexByte(text[:i], '\n')+1:i], " \t")
	return strings.HasPrefix(line, ">") || strings.HasPrefix(line, "|")
}

// quoteMarks is the length of the marks of quotation that s starts with: ">", "> > ", "|".
func quoteMarks(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '>', '|':
			n = i + 1
		case ' ', '\t':
		default:
			return n
		}
	}
	return n
}

// cutPrefix takes "URL:" off (RFC 1738 appendix; S1 "prefixedurl").
func cutPrefix(s string) (string, bool) {
	if len(s) >= 4 && strings.EqualFold(s[:4], "url:") {
		return strings.TrimLeft(s[4:], " \t"), true
	}
	return s, false
}
