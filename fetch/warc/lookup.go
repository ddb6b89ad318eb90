package warc

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// key returns the same key for equal URIs.
func (a *Archive) key(target string) string {
	u, err := uri.Parse(target)
	if err != nil {
		return target
	}
	var rules *uri.Rules
	if s, ok := a.list.Lookup(u.Scheme()); ok {
		rules = &s.Rules
	}
	return uri.RFC3986.Normalize(u.WithoutFragment().WithoutPassword().ASCII(), rules).String()
}

// rank orders the records that may answer: complete before truncated or partial, success before error, and dialogues last.
func (p *recordRef) rank() int {
	switch {
	case p.kind == refDialogue:
		return 0
	case p.head, p.status == 304, p.status >= 400, p.status > 0 && p.status < 200:
		return 1
	case p.truncated, p.status == 206:
		return 2
	}
	return 3
}

// candidates returns the records that may answer for a URI, best first. If the times are equal, the later one in a file comes first.
func (a *Archive) candidates(u uri.URI, at time.Time) ([]recordRef, error) {
	all, err := a.refs(a.key(target(u)))
	slices.SortStableFunc(all, func(p, q recordRef) int { return cmp.Or(cmp.Compare(q.file, p.file), cmp.Compare(q.offset, p.offset)) })
	sortCandidates(all, at)
	return all, err
}

// sortCandidates puts the best first: with a time the one of that second, then by rank, then the nearest or the latest.
func sortCandidates(all []recordRef, at time.Time) {
	want := at.UnixMicro()
	distance := func(p recordRef) int64 { return max(p.date-want, want-p.date) }
	order := func(p recordRef) int {
		if !at.IsZero() && p.date/1e6 == at.Unix() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(p, q recordRef) int {
		if c := cmp.Or(cmp.Compare(order(q), order(p)), cmp.Compare(q.rank(), p.rank())); c != 0 {
			return c
		}
		if at.IsZero() {
			return cmp.Compare(q.date, p.date)
		}
		return cmp.Compare(distance(p), distance(q))
	})
}

// best returns the best record that may answer and whose digests are right, or a *MissingError. After another error none of a lower rank is used.
func (a *Archive) best(u uri.URI, selection string, at time.Time) (found recordRef, err error) {
	all, err := a.candidates(u, at)
	if err != nil {
		return found, err
	}
	var first error
	top := -1
	for len(all) > 0 {
		p := all[0]
		all = all[1:]
		if !p.settled {
			before := p.rank()
			p, err = a.settle(p, a.key(target(u)))
			switch {
			case err != nil:
				first = cmp.Or(first, err)
				continue
			case p.selection != selection:
				continue
			case p.rank() < before:
				all = append(all, p)
				sortCandidates(all, at)
				continue
			}
		}
		if first != nil && p.rank() < top {
			break
		}
		top = p.rank()
		if err = a.verify(p); err == nil {
			return p, nil
		}
		first = cmp.Or(first, err)
	}
	if first == nil {
		first = fetch.Errorf(fetch.ErrNotFound, "%w", &MissingError{URI: u, Part: selection})
	}
	return found, first
}

// original finds the record that a revisit refers to: by URI and date, else another record of that URI with the same payload, or, if the
// server reported that nothing had changed, the latest one before it.
func (a *Archive) original(r *Record, p recordRef) (same recordRef, ok bool) {
	if a.find != nil {
		return a.find(r)
	}
	at := dateOf(r.Fields.Get("WARC-Refers-To-Date"))
	to := r.Fields.Get("WARC-Refers-To-Target-URI")
	if to == "" {
		to = r.Target()
	}
	all, err := a.refs(a.key(unbracket(to)))
	if err != nil {
		return same, false
	}
	for _, q := range all {
		isOther := q.digest != "" && p.digest != "" && !strings.EqualFold(q.digest, p.digest)
		if q.kind != refResponse && q.kind != refResource || isOther || q.status == 304 {
			continue
		}
		isThen := q.date == at.UnixMicro() || q.date == at.Unix()*1e6 // indexes have seconds
		if !at.IsZero() && isThen || at.IsZero() && p.digest != "" && q.digest != "" {
			return q, true
		}
		isSame, isBefore := q.digest != "" && p.digest != "", q.date <= p.date && (!ok || q.date >= same.date)
		if isSame || p.digest == "" && isBefore {
			same, ok = q, true
		}
	}
	return same, ok
}

// An opened record holds its file, and the record that it refers to.
type opened struct {
	*Record
	reader   *Reader
	file     io.Closer
	original *opened
}

// Close closes the record. A nil one is closed already.
func (o *opened) Close() {
	if o != nil {
		o.reader.Close()
		o.file.Close()
		o.original.Close()
	}
}

// verify reads the record at p to its end, unless settle has, and compares its digests. A record that is cut by the end of the archive passes.
func (a *Archive) verify(p recordRef) error {
	if p.settled && p.kind != refDialogue {
		return p.fault
	}
	r, err := a.open(p)
	if err != nil {
		return err
	}
	defer r.Close()
	return a.compare(r, p)
}

// compare is verify for the opened record.
func (a *Archive) compare(r *opened, p recordRef) error {
	if p.damaged {
		return fetch.Errorf(fetch.ErrProtocol, "%s: the record at byte %d is damaged", a.files[p.file].Name(), p.offset)
	}
	faults, err := digests(r.Record)
	switch {
	case len(faults) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "%s: the record at byte %d: %s", a.files[p.file].Name(), p.offset, faults[0])
	case err != nil && err != io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrProtocol, "%s: %w", a.files[p.file].Name(), err)
	case p.kind == refRevisit:
		_, err = a.referredBy(r.Record, p)
		return err
	}
	return nil
}

// open opens the record at p.
func (a *Archive) open(p recordRef) (*opened, error) {
	f, err := a.files[p.file].Open()
	if err != nil {
		return nil, err
	}
	reader, r, err := readAt(f, p.offset, p.within)
	if err != nil {
		f.Close()
		return nil, fetch.Errorf(fetch.ErrProtocol, "%s: %w", a.files[p.file].Name(), err)
	}
	return &opened{r, reader, f, nil}, nil
}
