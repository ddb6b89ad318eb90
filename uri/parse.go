package uri

import "strings"

// Parse reads s as a URI reference of RFC 3986, absolute or relative. See [Mode.Parse].
func Parse(s string) (URI, error) { return RFC3986.Parse(s) }

// MustParse is Parse for strings known to be right; it panics on others.
func MustParse(s string) URI {
	u, err := Parse(s)
	if err != nil {
		panic(err.Error())
	}
	return u
}

// Parse reads s in one pass, keeps every component as written and allocates nothing.
//
// It refuses controls, escapes that are none (D19), a bad scheme, host or port,
// and a backslash in the authority. Space " < > { } | \ ^ ` and octets from 0x80
// up are kept; [URI.Normalize] escapes them. RFC1630Strict refuses also what the
// grammar of the drafts does not hold. The error is an *Error.
func (m Mode) Parse(s string) (URI, error) {
	if len(s) > MaxLen {
		return URI{}, &Error{MaxLen, ruleLength}
	}
	u := URI{s: s}
	if pos, rule := u.parse(); rule != "" {
		return URI{}, &Error{pos, rule}
	}
	if m == RFC1630Strict {
		if err := u.strict(); err != nil {
			return URI{}, err
		}
	}
	return u, nil
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

// scanScheme returns the length of the scheme of s, 0 if it has none: a colon
// comes before any of / ? # and what precedes it is a scheme (D7).
func scanScheme(s string) (n, pos int, rule string) {
	if s == "" || !clAlpha.has(s[0]) {
		return noScheme(s, 0)
	}
	i := 1
	for i < len(s) && octets[s[i]]&clScheme != 0 {
		i++
	}
	if i < len(s) && s[i] == ':' {
		return i, 0, ""
	}
	return noScheme(s, i)
}

// noScheme judges a string that starts with no scheme.
//
// QUIRK: a first segment that holds a colon is a path ("1a:b", "sch_me:x":
// corpus rows, and what other libraries read), which RFC 3986 §4.2 would not
// have, unless only a scheme can be meant: nothing before the colon, an octet
// that is in no path, or "//" behind it.
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
	for k := range j {
		if (clBad | clControl).has(s[k]) {
			return 0, k, ruleScheme
		}
	}
	return 0, 0, ""
}

func schemeOctet(c byte) bool { return clScheme.has(c) }

// What ends a scan.
const (
	endPath  = 1 << iota // ? and #
	endQuery             // #
)

// scan goes over a component from i to its end and refuses controls and bad escapes.
func scan(s string, i int, end int) (int, string) {
	for {
		for i+4 <= len(s) && octets[s[i]]&octets[s[i+1]]&octets[s[i+2]]&octets[s[i+3]]&clPlain != 0 {
			i += 4
		}
		for i < len(s) && octets[s[i]]&clPlain != 0 {
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
