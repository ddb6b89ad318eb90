package uri

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bracket parses a URI after the "<" at i. The second result is where to continue.
func (f Finder) bracket(text string, i int) (Found, int, bool) {
	start := i + 1
	s, prefixed, end := bracketed(text, start)
	if end < 0 {
		return Found{}, start, false
	}
	n, _, _ := scanScheme(s)
	u, err := Parse(s)
	if n == 0 || !prefixed && !f.plausible(s, n) || err != nil || n+1 == len(s) {
		return Found{}, start, false
	}
	return Found{u, start, end}, end + 1, true
}

// bracketed returns the reference between start and the next ">", without white space and "URL:", and its end. It returns -1 if there is none.
// Only after "URL:" it may be relative.
func bracketed(text string, start int) (s string, prefixed bool, end int) {
	s, end = unwrap(text, start)
	if end < 0 {
		return "", false, -1
	}
	s, prefixed = cutPrefix(s)
	if n, _, _ := scanScheme(s); n == 0 && !prefixed || n > 0 && !whole(text[start:end], n) {
		return "", false, -1
	}
	return s, prefixed, end
}

// whole reports whether inner begins with the scheme of n bytes. "<see http://h/>" does not, although it seems so without the space.
func whole(inner string, n int) bool {
	s, _ := cutPrefix(strings.TrimLeftFunc(inner, unicode.IsSpace))
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	return len(s) > n && s[n] == ':'
}

// unwrap returns the text between start and the next ">", without white space, and its end. It returns -1 if "<", the end of the text, or,
// after a blank, another URI comes first. In quoted mail the marks at the start of the next lines are removed.
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
		case c == ':' && word > 0 && !asked && !bytes.EqualFold(b[:word], []byte("url:")) && len(b)-word <= maxScheme &&
			strings.HasPrefix(text[i:], "://") && isScheme(string(b[word:])):
			return "", -1
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsSpace(r) {
				b = append(b, text[i:i+n]...)
			} else if !asked {
				word = len(b)
			}
			i += n - 1
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

// quotes reports whether the line of text[i] starts with a mark of quoted mail.
func quotes(text string, i int) bool {
	line := strings.TrimLeft(text[strings.LastIndexByte(text[:i], '\n')+1:i], " \t")
	return strings.HasPrefix(line, ">") || strings.HasPrefix(line, "|")
}

// quoteMarks returns the length of the marks of quoted mail at the start of s: ">", "> > ", "|".
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

// cutPrefix removes "URL:" (RFC 1738 appendix; "prefixedurl" in the URI draft of March 1994).
func cutPrefix(s string) (string, bool) {
	if len(s) >= 4 && strings.EqualFold(s[:4], "url:") {
		return strings.TrimLeft(s[4:], " \t"), true
	}
	return s, false
}
