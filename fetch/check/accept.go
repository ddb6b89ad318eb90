package check

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// Statuses are the codes of responses with which a link is good. The zero value stands for those that the protocol defines.
type Statuses []statusRange

type statusRange struct {
	from, to int
	links    scope.Patterns // to which it applies; nil for all that no other range is for
}

// ParseStatuses parses a list of codes and ranges, "200..299,403", which may follow a pattern of links: "*.example=200..299,999".
func ParseStatuses(s string) (list Statuses, err error) {
	var links scope.Patterns
	codes := strings.ReplaceAll(s, "..=", "..")
	if i := strings.LastIndexByte(codes, '='); i > 0 {
		if links, err = scope.ParsePatterns([]string{codes[:i]}, false); err != nil {
			return nil, err
		}
		codes = codes[i+1:]
	}
	for part := range strings.SplitSeq(codes, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || a < 0 || a > b || b > 999 {
			return nil, fetch.Errorf(fetch.ErrLocal, "%q is not a list of status codes such as 200..299,403", s)
		}
		list = append(list, statusRange{a, b, links})
	}
	return list, nil
}

// of returns the statuses for u.
func (s Statuses) of(u uri.URI) (list Statuses) {
	for _, r := range s {
		if r.links.MatchLink(u) {
			list = append(list, r)
		}
	}
	if len(list) > 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(s), func(r statusRange) bool { return r.links != nil })
}

func (s Statuses) contains(code int) bool {
	return slices.ContainsFunc(s, func(r statusRange) bool { return r.from <= code && code <= r.to })
}

// apply changes the result of a response according to its status. An error that is not about the status stays: a missing part of the page, for example.
func (s Statuses) apply(status int, err error) error {
	e, isStatus := errors.AsType[*fetch.Error](err)
	if isStatus = isStatus && e.Status != 0; isStatus {
		status = e.Status
	}
	switch {
	case len(s) == 0 || status == 0:
	case !s.contains(status):
		if err == nil {
			err = fetch.Errorf(fetch.ErrNotFound, "status %d is not accepted", status)
		}
	case isStatus && e.Kind != fetch.ErrRedirect:
		return nil
	}
	return err
}
