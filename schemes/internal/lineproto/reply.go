package lineproto

import "strconv"

// CutReply splits a line of a reply (RFC 959 section 4.2, RFC 5321 section 4.2.1): three digits, of which the first is 1 to 5, then "-" if more lines
// follow, otherwise a blank or nothing.
func CutReply(l string) (code int, more bool, text string, ok bool) {
	if len(l) < 3 || l[0] < '1' || l[0] > '5' {
		return 0, false, "", false
	}
	n, err := strconv.ParseUint(l[:3], 10, 64)
	if err != nil {
		return 0, false, "", false
	}
	code = int(n)
	switch {
	case len(l) == 3:
		return code, false, "", true
	case l[3] == '-' || l[3] == ' ':
		return code, l[3] == '-', l[4:], true
	}
	return 0, false, "", false
}
