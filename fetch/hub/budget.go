//go:build unix || windows

package hub

import (
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// A Budget bounds what workers fetch from a host and port together; 0 is unlimited. The Documents are those that did not fail. When the budget is used
// up, further URIs of the host fail without a request, and links to it are not added. What Redo adds is not counted.
//
// It is reckoned from the results, so it survives a change of the owner.
type Budget struct {
	Documents int64
	Bytes     int64 // the document that exceeds it is the last one
}

// spending is what was fetched from a host.
type spending struct {
	Budget
	running int64
}

func (o *owner) hasBudget() bool { return o.worker != nil && o.worker.options.Budget != Budget{} }

// of returns the spending of a host. The caller holds o.mu.
func (o *owner) of(u uri.URI) *spending {
	name := o.worker.job.ports.host(u)
	s := o.spent[name]
	if s == nil {
		s = &spending{}
		o.spent[name] = s
	}
	return s
}

// isUsedUp reports whether a host gets no request besides those that are running.
func (b Budget) isUsedUp(s *spending) bool {
	return b.Documents > 0 && s.Documents+s.running >= b.Documents || b.Bytes > 0 && s.Bytes >= b.Bytes
}

// isSpent reports whether the budget of u's host is used up, also if requests that are running fail.
func (o *owner) isSpent(u uri.URI) bool {
	if !o.hasBudget() {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.worker.options.Budget.isUsedUp(&spending{Budget: o.of(u).Budget})
}

// kept is the Kept of the batch: items without a budget need no request.
func (o *owner) kept(it *batch.Item) (bool, error) {
	if it.Redo == 0 && o.isSpent(it.URI) {
		return true, errSpent()
	}
	if kept := o.worker.options.Batch.Kept; kept != nil {
		return kept(it)
	}
	return false, nil
}

func errSpent() error { return fetch.Errorf(fetch.ErrLimit, "the budget of the host is used up") }

// reserve counts a request that begins. It returns an error if the budget does not allow it.
func (o *owner) reserve(it *batch.Item) error {
	if !o.hasBudget() || it.Redo > 0 {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.of(it.URI)
	if o.worker.options.Budget.isUsedUp(s) {
		return errSpent()
	}
	s.running++
	return nil
}

// spend counts the result of a request that reserve has counted.
func (o *owner) spend(it *batch.Item, size int64, err error) {
	if !o.hasBudget() || it.Redo > 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.of(it.URI)
	if s.running--; err == nil {
		s.Documents, s.Bytes = s.Documents+1, s.Bytes+size
	}
}

// respend counts a result of a former owner.
func (o *owner) respend(r *Result) {
	if !o.hasBudget() || r.Duplicate || r.Redo > 0 || r.Error != "" {
		return
	}
	if u, err := uri.Parse(r.URI); err == nil {
		s := o.of(u)
		s.Documents, s.Bytes = s.Documents+1, s.Bytes+r.Size
	}
}

// Rest is that of a former owner, whatever its clock: it begins again with each owner.
func (o *owner) Rest(host string) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rests[host]
}

// SetRest records a pause: with the next results or the release if it is shorter than others need to take over the partition of a killed worker, and
// otherwise at once.
func (o *owner) SetRest(host string, until time.Time) {
	o.mu.Lock()
	o.rests[host] = until
	o.mu.Unlock()
	if time.Until(until) > o.worker.job.lease/2 {
		o.unsaved.Store(true)
		select {
		case o.urgent <- struct{}{}:
		default:
		}
	}
}

// resting returns the pauses that have not ended.
func (o *owner) resting() map[string]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := map[string]int64{}
	for host, until := range o.rests {
		left := time.Until(until)
		if left <= 0 {
			delete(o.rests, host)
			continue
		}
		list[host] = int64((left + time.Second - 1) / time.Second)
	}
	return list
}
