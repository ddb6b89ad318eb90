package mail

import "example.org/deref/fetch"

// order follows the numbers of the answers to a search.
//
// QUIRK: the library keeps them as a sorted list of ranges, and puts each number that is smaller than the last one in between by moving
// all behind it: 150,000 in descending order, which a reply can hold, take it some ten seconds, in a goroutine that nothing ends.
type order struct {
	last, number uint64
	digits       bool
	back         int // numbers that were smaller than the last
}

// maxBack is far more than servers have whose numbers are out of order for a reason.
const maxBack = 4096

func (o *order) next(c byte) error {
	if '0' <= c && c <= '9' {
		if o.number < 1<<32 {
			o.number = o.number*10 + uint64(c-'0')
		}
		o.digits = true
		return nil
	}
	if !o.digits {
		return nil
	}
	if o.number < o.last {
		if o.back++; o.back > maxBack {
			return fetch.Errorf(fetch.ErrLimit, "more than %d numbers of a search are out of order", maxBack)
		}
	}
	o.last, o.number, o.digits = o.number, 0, false
	return nil
}

// isSearch reports whether a line that begins so has the answer to a search, or a code that may hold as many numbers (COPYUID).
func (s *scanner) isSearch() bool {
	return s.text || foldPrefix(s.head, "* SEARCH ") || foldPrefix(s.head, "* ESEARCH ")
}

func foldPrefix(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if c := b[i]; c != prefix[i] && c != prefix[i]|0x20 {
			return false
		}
	}
	return true
}
