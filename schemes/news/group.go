package news

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A group is the reply to GROUP (RFC 3977 section 6.1.1).
type group struct {
	name             string
	count, low, high int64 // high is less than low if there are no articles
}

// readGroup reads the reply to GROUP.
func (r *run) readGroup() (group, error) {
	step, a, err := r.nextReply()
	switch {
	case err != nil:
		return group{}, err
	case a.code != 211:
		return group{}, fail(step, a)
	}
	g, ok := parseGroup(a.text)
	if !ok {
		return g, r.end(fetch.Errorf(fetch.ErrProtocol, "%s: %d %s lacks the article numbers", step.Verb, a.code, clip(a.text)))
	}
	g.name = step.Args[0]
	return g, nil
}

// parseGroup parses "count low high group". An empty group has a count of 0, or numbers in reverse order.
func parseGroup(text string) (g group, ok bool) {
	if !parseNumbers(strings.Fields(text), &g.count, &g.low, &g.high) {
		return g, false
	}
	if g.count == 0 && g.high >= g.low {
		g.high = g.low - 1
	}
	return g, true
}

// parseNumbers parses a number for each of to. Their differences do not overflow.
func parseNumbers(fields []string, to ...*int64) bool {
	for i, to := range to {
		if i == len(fields) {
			return false
		}
		n, err := strconv.ParseUint(fields[i], 10, 62)
		if err != nil {
			return false
		}
		*to = int64(n)
	}
	return true
}

// boundsOf returns the bounds of the requested numbers in the group.
func (r *run) boundsOf(g group) (low, high int64) {
	low, high = g.low, g.high
	if r.thread {
		return low, high
	}
	if r.First != nil {
		low = max(low, *r.First)
	}
	if r.Last != nil {
		high = min(high, *r.Last)
	}
	if r.last > 0 {
		low = max(low, high-int64(r.last)+1)
	}
	return low, high
}

// withSpan replaces <low>-<high> by numbers.
func withSpan(s fetch.Step, low, high int64) fetch.Step {
	s.Args = append([]string(nil), s.Args...)
	for i, a := range s.Args {
		if a == "<low>-<high>" {
			s.Args[i] = strconv.FormatInt(low, 10) + "-" + strconv.FormatInt(high, 10)
		}
	}
	return s
}

// withNumber replaces <number> by a number.
func withNumber(s fetch.Step, n int64) fetch.Step {
	s.Args = []string{strconv.FormatInt(n, 10)}
	return s
}

// setHeader sets the header of a document from the reply to GROUP.
func (g group) setHeader(d *fetch.Document) {
	d.Header.Set("Newsgroups", g.name)
	d.Header.Set("Articles", strconv.FormatInt(g.count, 10))
	d.Header.Set("Low-Number", strconv.FormatInt(g.low, 10))
	d.Header.Set("High-Number", strconv.FormatInt(g.high, 10))
	if missing := g.missing(); missing > 0 {
		d.Header.Set("Missing-Numbers", strconv.FormatInt(missing, 10))
	}
}

// missing returns how many numbers of a group with articles have none.
func (g group) missing() int64 {
	if g.count == 0 {
		return 0
	}
	return max(0, g.high-g.low+1-g.count)
}

// groupMetadata returns the result of Metadata.
func (r *run) groupMetadata(g group) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason = overviewType, "a newsgroup"
	g.setHeader(d)
	d.Validator = fetch.Validator{Tag: fmt.Sprintf("W/%d %d %d", g.count, g.low, g.high)} // weak: it is not that of a mailbox or its ranges
	r.release()
	return d
}
