package warc

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"

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

// best returns the records that may answer for a selection of a URI, best first: complete before truncated or partial, success before
// error, later before earlier. The ones after the first are as good but earlier: they answer if the first is damaged.
func (a *Archive) best(u uri.URI, selection string) (best []recordRef) {
	rank := func(p recordRef) int {
		switch {
		case p.kind == refDialogue:
			return 0
		case p.kind == refListing:
			return -1
		case p.head, p.status == 304, p.status >= 400, p.status > 0 && p.status < 200:
			return 1
		case p.truncated, p.status == 206:
			return 2
		}
		return 3
	}
	top := -1
	for _, p := range a.at[a.key(target(u))] {
		r := rank(p)
		if p.selection != selection || r < max(top, 0) {
			continue
		}
		if r > top {
			top, best = r, best[:0]
		}
		best = append(best, p)
	}
	slices.SortStableFunc(best, func(p, q recordRef) int { return cmp.Compare(p.date, q.date) })
	slices.Reverse(best) // if the times are equal, the later one in the file comes first
	return best
}

// sibling finds the record of another kind that belongs to the same capture as p.
func (a *Archive) sibling(u uri.URI, p recordRef, kind byte) (recordRef, bool) {
	for _, q := range a.at[a.key(target(u))] {
		if q.kind == kind && q.date == p.date && q.file == p.file {
			return q, true
		}
	}
	return recordRef{}, false
}

// original finds the record that a revisit refers to: by URI and date, else another record of that URI with the same payload, or, if the
// server reported that nothing had changed, the latest one before it.
func (a *Archive) original(r *Record, p recordRef) (same recordRef, ok bool) {
	at := dateOf(r.Fields.Get("WARC-Refers-To-Date"))
	to := r.Fields.Get("WARC-Refers-To-Target-URI")
	if to == "" {
		to = r.Target()
	}
	for _, q := range a.at[a.key(unbracket(to))] {
		isOther := q.digest != "" && p.digest != "" && !strings.EqualFold(q.digest, p.digest)
		if q.kind != refResponse && q.kind != refResource || isOther || q.status == 304 {
			continue
		}
		if !at.IsZero() && q.date == at.UnixMicro() || at.IsZero() && p.digest != "" && q.digest != "" {
			return q, true
		}
		isSame, isBefore := q.digest != "" && p.digest != "", q.date <= p.date && (!ok || q.date >= same.date)
		if isSame || p.digest == "" && isBefore {
			same, ok = q, true
		}
	}
	return same, ok
}

// An opened record holds its file, and the file of the record that it refers to.
type opened struct {
	*Record
	files []*os.File
}

func (o *opened) Close() {
	for _, f := range o.files {
		f.Close()
	}
}

// verify reads the record at p to its end and compares its digests. A record that is cut by the end of the archive passes.
func (a *Archive) verify(p recordRef) error {
	if p.damaged {
		return fetch.Errorf(fetch.ErrProtocol, "%s: the record at byte %d is damaged", a.files[p.file], p.offset)
	}
	r, err := a.open(p)
	if err != nil {
		return err
	}
	defer r.Close()
	faults, err := digests(r.Record)
	switch {
	case len(faults) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "%s: the record at byte %d: %s", a.files[p.file], p.offset, faults[0])
	case err != nil && err != io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrProtocol, "%s: %w", a.files[p.file], err)
	}
	return nil
}

// open opens the record at p.
func (a *Archive) open(p recordRef) (*opened, error) {
	f, err := os.Open(a.files[p.file])
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	r, err := readAt(f, p.offset, p.within)
	if err != nil {
		f.Close()
		return nil, fetch.Errorf(fetch.ErrProtocol, "%s: %w", a.files[p.file], err)
	}
	return &opened{r, []*os.File{f}}, nil
}
