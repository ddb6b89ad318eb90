package uri

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bare reads a URI whose scheme ends with the colon at colon and starts not
// before low.
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
	return f.take(text, i)
}

// schemeStart is where the scheme that ends at colon starts; colon, if there is none.
func schemeStart(text string, low, colon int) int {
	i := colon
	for i > low && colon-i < maxScheme && schemeOctet(text[i-1]) {
		i--
	}
	for i < colon && !clAlpha.has(text[i]) {
		i++
	}
	return i
}

// prefixed reads what follows "url:", of whatever scheme.
func (f Finder) prefixed(text string, i int) (Found, int, bool) {
	j := i
	for j < len(text) && (text[j] == ' ' || text[j] == '\t') && j-i < maxScheme {
		j++
	}
	n, _, _ := scanScheme(text[j:bareEnd(text, j, min(j+maxScheme, len(text)))])
	if n == 0 || n > maxScheme || !f.plausible(text[j:], n) && j > i {
		return Found{}, i, false
	}
	return f.take(text, j)
}

// take reads the bare URI that starts at i. What is none is passed over whole:
// it is not searched again, or the time would be quadratic.
func (f Finder) take(text string, i int) (Found, int, bool) {
	end := bareEnd(text, i, len(text))
	s := sentence(text[i:end])
	u, err := Parse(s)
	if err != nil || int(u.start()) == len(s) || u.scheme == 0 || s[u.start():] == "//" {
		return Found{}, max(end, i+1), false
	}
	return Found{u, i, i + len(s)}, end, true
}

// bareEnd is where a bare URI that starts at i must end, at limit at the latest:
// white space, a control, one of < > " { } | \ ^ `, the quotation marks and
// full stops of other scripts, a closing bracket that it does not open, or a comma
// or semicolon that another URI follows.
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
		return false // an octet of another character set: kept
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe, unicode.Cc) ||
		strings.ContainsRune("„、。，；！？", r)
}

// listed is the offset of the comma or semicolon before the scheme that ends at colon, 0 if there is none.
func listed(text string, low, colon int) int {
	k := schemeStart(text, low, colon)
	if k > low && k < colon && (text[k-1] == ',' || text[k-1] == ';') {
		return k - 1
	}
	return 0
}

// sentence cuts off s what belongs to the sentence around it: punctuation at
// the end, and brackets that only open. The semicolon that ends the last field
// of a WAIS document ID stays: without it the ID is another one.
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
