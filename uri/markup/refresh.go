package markup

import (
	"strconv"
	"strings"
)

// Refresh parses the content of <meta http-equiv=refresh>, or of the header field Refresh: the seconds to wait, and the position of the
// reference, value[from:to]. ok is false if value is invalid. from equals to if it has no reference. HTML Standard section 4.2.5.3.
func Refresh(value string) (seconds, from, to int, ok bool) {
	s := strings.TrimLeft(value, white)
	number := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	s = s[len(number):]
	if number == "" && !strings.HasPrefix(s, ".") {
		return 0, 0, 0, false
	}
	seconds, err := strconv.Atoi("0" + number)
	if err != nil {
		return 0, 0, 0, false // too long to wait for
	}
	if s = strings.TrimLeft(s, "0123456789."); s == "" {
		return seconds, 0, 0, true
	}
	rest := strings.TrimLeft(s, white)
	if rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = strings.TrimLeft(rest[1:], white)
	} else if rest == s {
		return 0, 0, 0, false
	}
	rest, quotes := afterURL(rest)
	if quotes && rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		quote := rest[:1]
		from = len(value) - len(rest) + 1
		inner, _, _ := strings.Cut(rest[1:], quote)
		rest = inner
	} else {
		from = len(value) - len(rest)
	}
	from += len(rest) - len(strings.TrimLeft(rest, white))
	return seconds, from, from + len(strings.Trim(rest, white)), true
}

// afterURL returns the text after "url=", or s if it does not begin with that. quotes is false if s begins with a part of "url=", which is then a
// part of the reference.
func afterURL(s string) (rest string, quotes bool) {
	if s == "" || s[0]|0x20 != 'u' {
		return s, true
	}
	if len(s) >= len("url") && strings.EqualFold(s[:len("url")], "url") {
		if rest = strings.TrimLeft(s[len("url"):], white); strings.HasPrefix(rest, "=") {
			return strings.TrimLeft(rest[1:], white), true
		}
	}
	return s, false
}
