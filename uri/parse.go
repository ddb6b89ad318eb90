package uri

import "strings"

// Parse parses s as a URI reference of RFC 3986, absolute or relative. See [Mode.Parse].
func Parse(s string) (URI, error) { return RFC3986.Parse(s) }

// MustParse is Parse for constant strings. It panics if s is invalid.
func MustParse(s string) URI {
	u, err := Parse(s)
	if err != nil {
		panic(err.Error())
	}
	return u
}

// Parse parses s in one pass. It decodes nothing and allocates nothing. It parses url:X and <URL:X>, with which texts state a reference, as X, so
// there is no scheme "url" (D7).
//
// It returns an *Error for controls, invalid escapes (D19), an invalid scheme, host or port, and a backslash in the authority. It accepts
// space " < > { } | \ ^ ` and bytes from 0x80; [URI.Normalize] escapes them. RFC1630Strict accepts only the grammar of the drafts.
func (m Mode) Parse(s string) (URI, error) {
	if len(s) > MaxLen {
		return URI{}, &Error{MaxLen, ruleLength}
	}
	u := URI{s: stated(s)}
	pos, rule := u.parse()
	if rule == "" && m == RFC1630Strict {
		pos, rule = u.strict()
	}
	if rule != "" {
		return URI{}, &Error{pos + max(strings.LastIndex(s, u.s), 0), rule}
	}
	return u, nil
}

// stated returns the reference that s states: the X of url:X, as the draft of March 1994 writes it (section 6.1, "prefixedurl"), and of <URL:X>, as
// RFC 1738 does (D7).
func stated(s string) string {
	switch {
	case s == "" || s[0]|0x20 != 'u' && s[0] != '<':
		return s
	case s[0] == '<':
		if x, prefixed, end := bracketed(s, 1); prefixed && end == len(s)-1 {
			s = x
		}
	}
	for prefixed := true; prefixed; {
		s, prefixed = cutPrefix(s)
	}
	return s
}

func (u *URI) parse() (pos int, rule string) {
	s := u.s
	i := 0
	n, pos, rule := scanScheme(s)
	if rule != "" {
		return pos, rule
	}
	if n > 0 {
		u.scheme = uint32(n)
		i = n + 1
	}
	if i+1 < len(s) && s[i] == '/' && s[i+1] == '/' {
		if i, rule = u.parseAuthority(i + 2); rule != "" {
			return i, rule
		}
	}
	u.path = uint32(i)
	if i, rule = scan(s, i, endPath); rule != "" {
		return i, rule
	}
	u.query = uint32(i)
	if i < len(s) && s[i] == '?' {
		if i, rule = scan(s, i, endQuery); rule != "" {
			return i, rule
		}
	}
	u.frag = uint32(i)
	if i < len(s) {
		return scan(s, i+1, 0)
	}
	return i, ""
}

// scanScheme returns the length of the scheme of s, or 0 if it has none. A scheme is followed by a colon, before any of / ? # (D7).
func scanScheme(s string) (n, pos int, rule string) {
	if s == "" || !clAlpha.has(s[0]) {
		return noScheme(s, 0)
	}
	i := 1
	for i < len(s) && classes[s[i]]&clScheme != 0 {
		i++
	}
	if i < len(s) && s[i] == ':' {
		return i, 0, ""
	}
	return noScheme(s, i)
}

// noScheme checks a string that does not start with a scheme.
//
// QUIRK: a first segment with a colon ("1a:b", "sch_me:x") is a path, as in other libraries, although RFC 3986 §4.2 forbids it. It is an error
// only if a scheme must be meant: nothing is before the colon, a character before it cannot be in a path, or "//" is after it.
func noScheme(s string, i int) (n, pos int, rule string) {
	j := i
	for j < len(s) && s[j] != ':' {
		if s[j] == '/' || s[j] == '?' || s[j] == '#' {
			return 0, 0, ""
		}
		j++
	}
	if j == len(s) {
		return 0, 0, ""
	}
	if j == 0 || strings.HasPrefix(s[j:], "://") {
		return 0, i, ruleScheme
	}
	if k := (clBad | clControl).index(s[:j]); k >= 0 {
		return 0, k, ruleScheme
	}
	return 0, 0, ""
}

// What ends a scan.
const (
	endPath  = 1 << iota // ? and #
	endQuery             // #
)

// scan returns the end of the component at i, or the position of a control or an invalid escape and the rule.
func scan(s string, i int, end int) (int, string) {
	for {
		for i+4 <= len(s) && classes[s[i]]&classes[s[i+1]]&classes[s[i+2]]&classes[s[i+3]]&clPlain != 0 {
			i += 4
		}
		for i < len(s) && classes[s[i]]&clPlain != 0 {
			i++
		}
		if i == len(s) {
			return i, ""
		}
		switch c := s[i]; {
		case c == '#' && end != 0, c == '?' && end == endPath:
			return i, ""
		case c == '%':
			if !escapeAt(s, i) {
				return i, ruleEscape
			}
			i += 3
		case c == '#', c == '?':
			i++
		default:
			return i, ruleControl
		}
	}
}
