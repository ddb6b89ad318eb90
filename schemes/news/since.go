package news

import (
	"iter"

	"example.org/deref/fetch"
)

// newsSince makes a listing of NEWNEWS; where that is refused, which many servers do to everybody, of the articles whose own dates are
// late enough.
//
// QUIRK: INN 2.7.1 answers 480 where NEWNEWS is disabled for all.
func (r *run) newsSince() (*fetch.Document, error) {
	_, a, err := r.nextReply()
	switch {
	case err != nil:
		return nil, err
	case a.code == 230:
		return r.list(idsType, "articles since a date", r.idEntry), nil
	}
	if _, err := r.do(r.plan.When(ifNoNews)[0], 215); err != nil {
		return nil, err
	}
	list, left := []group{}, r.heldLimit()
	err = r.eachLine(func(line string) error {
		if left -= len(line); left < 0 {
			return fetch.Errorf(fetch.ErrLimit, "there are too many groups; a wildmat chooses some")
		}
		if g, _, ok := parseActive(line); ok && isWord(g.name) && g.low <= g.high {
			list = append(list, g)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d := fetch.NewListing(r.datedIn(list))
	d.TypeReason = "articles since a date, by their own"
	return d, nil
}

// datedIn yields the articles in some groups that are late enough, each once as far as can be held. Groups that are gone or closed to the
// user are passed over: NEWNEWS would not tell of them either.
func (r *run) datedIn(list []group) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		defer r.release()
		seen := map[string]bool{}
		for _, g := range list {
			low, high := r.boundsOf(g)
			r.s.enqueue(r.groupStep(g.name), withSpan(r.step("OVER"), low, high))
			g, err := r.readGroup()
			if err == nil {
				for e, err := range r.recent(r.overEntries(g)) {
					id := idOf(e)
					if seen[id] {
						continue
					}
					if id != "" && len(seen) < maxThread {
						seen[id] = true
					}
					if !yield(e, err) || err != nil {
						r.end(errAbandoned)
						return
					}
				}
				continue
			}
			if r.s.broken == nil {
				err = r.drain()
			}
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
		}
	}
}

// groupStep enters one of several groups.
func (r *run) groupStep(name string) fetch.Step {
	s := r.step("GROUP")
	s.Args = []string{name}
	return s
}
