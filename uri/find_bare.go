package uri

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bare parses a URI whose scheme ends at colon and does not start before low.
func (f Finder) bare(text string, low, colon int) (Found, int, bool) {
	i := schemeStart(text, low, colon)
	next := colon + 1
	if i == colon {
		return Found{}, next, false
	}
	if colon-i == 3 && strings.EqualFold(text[i:colon], "url") {
		return f.prefixed(text, next)
	}
	if !f.plausible(text[i:], colon-i) {
		return Found{}, next, false
	}
	return f.parseBare(text, i)
}

// schemeStart returns the start of the scheme that ends at colon. It returns colon if there is none.
func schemeStart(text string, low, colon int) int {
	i := colon
	for i > low && colon-i < maxScheme && clScheme.has(text[i-1]) {
		i--
	}
	for i < colon && !clAlpha.has(text[i]) {
		i++
	}
	return i
}

// prefixed parses a URI of any scheme after "url:".
func (f Finder) prefixed(text string, i int) (Found, int, bool) {
	j := i
	for j < len(text) && (text[j] == ' ' || text[j] == '\t') && j-i < maxScheme {
		j++
	}
	n, _, _ := scanScheme(text[j:bareEnd(text, j, min(j+maxScheme, len(text)))])
	if n == 0 || n > maxScheme || !f.plausible(text[j:], n) && j > i {
		return Found{}, i, false
	}
	return f.parseBare(text, j)
}

// parseBare parses the bare URI that starts at i. Text that is not a URI is skipped as a whole: searching it again would take quadratic time.
func (f Finder) parseBare(text string, i int) (Found, int, bool) {
	end := bareEnd(text, i, len(text))
	s := sentence(text[i:end])
	u, err := Parse(s)
	if err != nil || int(u.start()) == len(s) || u.scheme == 0 || s[u.start():] == "//" {
		return Found{}, max(end, i+1), false
	}
	return Found{u, i, i + len(s)}, end, true
}

// bareEnd returns the end of a bare URI that starts at i, at most limit. It ends before white space, controls, < > " { } | \ ^ `, quotation marks
// and full stops of other scripts, a closing bracket that it does not open, and a comma or semicolon with another URI after it.
func bareEnd(text string, i, limit int) int {
	low, round, square := i, 0, 0
	for i < limit {
		c := text[i]
		if c < utf8.RuneSelf {
			switch c {
			case '(':
				round++
			case ')':
				round--
			case '[':
				square++
			case ']':
				square--
			}
			if (clControl | clBad).has(c) || round < 0 || square < 0 {
				return i
			}
			if c == ':' && strings.HasPrefix(text[i:], "://") {
				if k := listed(text, low, i); k > 0 {
					return k
				}
				low = i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if ends(r) {
			return i
		}
		i += n
	}
	return limit
}

func ends(r rune) bool {
	if r == utf8.RuneError {
		return false // a byte in another character set; it stays
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe, unicode.Cc) ||
		strings.ContainsRune("„、。，；！？", r)
}

// listed returns the offset of the comma or semicolon before the scheme that ends at colon. It returns 0 if there is none.
func listed(text string, low, colon int) int {
	k := schemeStart(text, low, colon)
	if k > low && k < colon && (text[k-1] == ',' || text[k-1] == ';') {
		return k - 1
	}
	return 0
}

// sentence removes punctuation at the end of s that belongs to the sentence, and brackets that only open. The semicolon after the last field of
// a WAIS document ID stays: it is a part of the ID.
func sentence(s string) string {
	t := strings.TrimRight(s, ".,;:!?'([")
	if len(t) < len(s) && s[len(t)] == ';' && endsInField(t) {
		t = s[:len(t)+1]
	}
	return t
}

// endsInField reports whether t is a wais URI whose path ends with TAG=VALUE,
// as libwww and Lynx write a document ID: each field with a semicolon after it.
func endsInField(t string) bool {
	const scheme = "wais://"
	if len(t) < len(scheme) || !strings.EqualFold(t[:len(scheme)], scheme) || strings.ContainsAny(t, "?#") {
		return false
	}
	field := t[strings.LastIndexByte(t, ';')+1:]
	tag, _, ok := strings.Cut(field, "=")
	if !ok {
		return false
	}
	if len(field) == len(t) { // the only field: after the type, or the length
		tag = tag[strings.LastIndexByte(tag, '/')+1:]
	}
	return tag != "" && strings.Trim(tag, "0123456789") == ""
}
