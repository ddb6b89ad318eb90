package frames

import (
	"strconv"
	"strings"
)

// CompareOID compares OBJECT IDENTIFIERs in their dotted form arc by arc, which is the order of an SNMP walk.
func CompareOID(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		m, _ := strconv.ParseUint(x, 10, 64)
		n, _ := strconv.ParseUint(y, 10, 64)
		switch {
		case m < n:
			return -1
		case m > n:
			return 1
		}
	}
	return len(a) - len(b)
}
