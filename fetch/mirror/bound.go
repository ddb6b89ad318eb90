package mirror

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A Bound is a number of copies, or a percentage of all that there are.
type Bound struct {
	N       int64
	Percent bool
}

// ParseBound reads "20" or "20%".
func ParseBound(s string) (*Bound, error) {
	digits, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || percent && n > 100 || strings.HasPrefix(digits, "+") {
		return nil, fetch.Errorf(fetch.ErrLocal, "%q is neither a number nor a percentage such as 50%%", s)
	}
	return &Bound{n, percent}, nil
}

func (b *Bound) String() string {
	s := strconv.FormatInt(b.N, 10)
	if b.Percent {
		s += "%"
	}
	return s
}

// few is up to how many copies a mirror has no bound of its own: of so few, half says nothing.
const few = 10

// most is how many of all copies may be deleted.
func (b *Bound) most(all int64) int64 {
	switch {
	case b == nil && all <= few:
		return all
	case b == nil:
		b = &Bound{50, true}
	}
	if b.Percent {
		return all/100*b.N + all%100*b.N/100
	}
	return b.N
}

// A TooManyError says that a Run did not delete anything, since it would have deleted more than Options.MaxDelete.
type TooManyError struct {
	Copies int64 // that would have been deleted
	More   bool  // and perhaps others, about which the server was not asked
	All    int64 // copies in the mirror
	Most   int64 // that may be deleted
}

func (e *TooManyError) Error() string {
	least := ""
	if e.More {
		least = "at least "
	}
	return fmt.Sprintf("nothing is deleted: %s%d of %d copies are gone from the server, and at most %d may be deleted", least, e.Copies, e.All, e.Most)
}
