package check

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// Statuses are the codes of responses with which a link is good. The zero value stands for those that the protocol defines.
type Statuses []statusRange

type statusRange struct{ from, to int }

// ParseStatuses parses a list of codes and ranges: "200..299,403".
func ParseStatuses(s string) (Statuses, error) {
	var list Statuses
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(strings.TrimPrefix(to, "="))
		if err1 != nil || err2 != nil || a < 0 || a > b || b > 999 {
			return nil, fetch.Errorf(fetch.ErrLocal, "%q is not a list of status codes such as 200..299,403", s)
		}
		list = append(list, statusRange{a, b})
	}
	return list, nil
}

func (s Statuses) contains(code int) bool {
	return slices.ContainsFunc(s, func(r statusRange) bool { return r.from <= code && code <= r.to })
}

// apply changes the result of a response according to its status.
func (s Statuses) apply(status int, err error) error {
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Status != 0 {
		status = e.Status
	}
	switch {
	case len(s) == 0 || status == 0:
	case !s.contains(status):
		if err == nil {
			err = fetch.Errorf(fetch.ErrNotFound, "status %d is not accepted", status)
		}
	case err != nil && fetch.KindOf(err) != fetch.ErrRedirect:
		return nil
	}
	return err
}
