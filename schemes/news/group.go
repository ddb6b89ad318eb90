package news

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A group is what the reply to GROUP says (RFC 3977 section 6.1.1).
type group struct {
	name             string
	count, low, high int64 // no articles: high is below low
}

// enter hears the reply to GROUP.
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
		return g, r.end(fetch.Errorf(fetch.ErrProtocol, "%s: %d %s does not say which numbers there are", step.Verb, a.code, clip(a.text)))
	}
	g.name = step.Args[0]
	return g, nil
}

// parseGroup reads "count low high group". A group without articles is told by its count, or by numbers that are the wrong way round.
func parseGroup(text string) (g group, ok bool) {
	f := strings.Fields(text)
	if len(f) < 3 {
		return g, false
	}
	for i, to := range []*int64{&g.count, &g.low, &g.high} {
		n, err := strconv.ParseUint(f[i], 10, 62)
		if err != nil {
			return g, false
		}
		*to = int64(n)
	}
	if g.count == 0 && g.high >= g.low {
		g.high = g.low - 1
	}
	return g, true
}

// wantedOf are the numbers of the group that are wanted.
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
		low = max(low, high-r.last+1)
	}
	return low, high
}

// fill puts numbers in the place of <low>-<high>.
func withSpan(s fetch.Step, low, high int64) fetch.Step {
	s.Args = append([]string(nil), s.Args...)
	for i, a := range s.Args {
		if a == "<low>-<high>" {
			s.Args[i] = strconv.FormatInt(low, 10) + "-" + strconv.FormatInt(high, 10)
		}
	}
	return s
}

// numbered puts a number in the place of <number>.
func withNumber(s fetch.Step, n int64) fetch.Step {
	s.Args = []string{strconv.FormatInt(n, 10)}
	return s
}

// describe puts what GROUP said into the header of a document.
func (g group) setHeader(d *fetch.Document) {
	d.Header.Set("Newsgroups", g.name)
	d.Header.Set("Articles", strconv.FormatInt(g.count, 10))
	d.Header.Set("Low-Number", strconv.FormatInt(g.low, 10))
	d.Header.Set("High-Number", strconv.FormatInt(g.high, 10))
	if missing := g.high - g.low + 1 - g.count; missing > 0 && g.count > 0 {
		d.Header.Set("Missing-Numbers", strconv.FormatInt(missing, 10))
	}
}

// aboutGroup is the answer to Metadata.
func (r *run) groupMetadata(g group) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason = overviewType, "a newsgroup"
	g.setHeader(d)
	r.release()
	return d
}
