package mirror

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A Bound is a number of copies, or a percentage of all copies.
type Bound struct {
	N       int64
	Percent bool
}

// ParseBound parses "20" or "20%".
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

// defaultFew is the number of copies up to which a mirror has no default bound, because half of a small number is not significant.
const defaultFew = 10

// limit returns how many of all copies may be deleted.
func (b *Bound) limit(all int64) int64 {
	switch {
	case b == nil && all <= defaultFew:
		return all
	case b == nil:
		b = &Bound{50, true}
	}
	if b.Percent {
		return all/100*b.N + all%100*b.N/100
	}
	return b.N
}

// A TooManyError means that a Run deleted nothing because it would have deleted more than Options.MaxDelete.
type TooManyError struct {
	Copies int64 // to be deleted
	More   bool  // perhaps there are others that were not probed
	All    int64 // copies in the mirror
	Most   int64 // allowed to be deleted
}

func (e *TooManyError) Error() string {
	least := ""
	if e.More {
		least = "at least "
	}
	return fmt.Sprintf("nothing deleted: %s%d of %d copies are gone from the server, at most %d may be deleted", least, e.Copies, e.All,
		e.Most)
}
