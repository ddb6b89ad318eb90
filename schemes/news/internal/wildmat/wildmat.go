// Package wildmat matches names of newsgroups (RFC 3977 section 4). A wildmat consists of patterns separated by commas. The last pattern
// that matches decides; one that begins with "!" excludes the name.
package wildmat

import "strings"

// Match reports whether name matches the wildmat.
func Match(wildmat, name string) bool {
	found := false
	for p := range strings.SplitSeq(wildmat, ",") {
		p, not := strings.CutPrefix(p, "!")
		if match(p, name) {
			found = !not
		}
	}
	return found
}

// match implements "*" and "?". It backtracks over one star at a time, so its time is bounded by the product of the lengths.
func match(p, s string) bool {
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
