package lineproto

import "strings"

// MatchWildmat reports whether the name of a newsgroup matches a wildmat (RFC 3977 section 4): patterns separated by commas. The last pattern
// that matches decides; one that begins with "!" excludes the name.
func MatchWildmat(wildmat, name string) bool {
	found := false
	for p := range strings.SplitSeq(wildmat, ",") {
		p, not := strings.CutPrefix(p, "!")
		if matchPattern(p, name) {
			found = !not
		}
	}
	return found
}

// matchPattern implements "*" and "?". It backtracks over one star at a time, so its time is bounded by the product of the lengths.
func matchPattern(p, s string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(p[i:], "*") == ""
}
