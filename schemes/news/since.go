package news

import (
	"iter"

	"example.org/deref/fetch"
)

// newsSince returns a listing of NEWNEWS. If that is refused, as it is by many servers, it lists the articles whose own dates are late
// enough.
//
// QUIRK: INN 2.7.1 answers 480 if NEWNEWS is disabled for everybody.
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
	list, remaining := []group{}, r.heldLimit()
	err = r.eachLine(func(line string) error {
		if remaining -= len(line); remaining < 0 {
			return fetch.Errorf(fetch.ErrLimit, "too many groups; select some with a wildmat")
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
	d.TypeReason = "articles since a date, by their Date fields"
	return d, nil
}

// once returns a function that reports whether a message-id is new. It remembers them within bounds.
func once() func(id string) bool {
	seen := map[string]bool{}
	return func(id string) bool {
		known := seen[id]
		if id != "" && len(seen) < maxThread {
			seen[id] = true
		}
		return !known
	}
}

// datedIn yields the articles in some groups that are late enough, each once. It skips groups that are gone or closed to the user, as NEWNEWS does.
func (r *run) datedIn(list []group) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		defer r.release()
		isNew := once()
		for _, g := range list {
			low, high := r.boundsOf(g)
			r.s.enqueue(r.groupStep(g.name), withSpan(r.step("OVER"), low, high))
			g, err := r.readGroup()
			if err == nil {
				for e, err := range r.recent(r.overEntries(g)) {
					if !isNew(idOf(e)) {
						continue
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

// groupStep returns the step that enters one of several groups.
func (r *run) groupStep(name string) fetch.Step {
	s := r.step("GROUP")
	s.Args = []string{name}
	return s
}
