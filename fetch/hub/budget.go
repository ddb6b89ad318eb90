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

// spending is what was fetched from a host, and the number of its requests that are running.
type spending struct {
	Budget
	running int64
}

// spend changes what was fetched from the host of u. It changes nothing, and returns true, if a request would begin and the budget is used up by now, or will
// be by what is running.
func (o *owner) spend(u uri.URI, documents, bytes, running int64) (isSpent bool) {
	b := o.worker.options.Budget
	if b == (Budget{}) {
		return false
	}
	name := o.worker.job.ports.host(u)
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.spent[name]
	isSpent = b.Documents > 0 && s.Documents+s.running >= b.Documents || b.Bytes > 0 && s.Bytes >= b.Bytes
	if running <= 0 || !isSpent {
		o.spent[name] = spending{Budget{s.Documents + documents, s.Bytes + bytes}, s.running + running}
	}
	return isSpent
}

func (o *owner) isSpent(u uri.URI) bool { return o.spend(u, 0, 0, 0) }

// respend counts a result of a former owner.
func (o *owner) respend(r *Result) {
	if u, err := uri.Parse(r.URI); err == nil && !r.Duplicate && r.Redo == 0 && r.Error == "" {
		o.spend(u, 1, r.Size, 0)
	}
}

// withBudget calls do for an item, if the budget allows it.
func (o *owner) withBudget(it *batch.Item, do func() (int64, error)) (size int64, err error) {
	if it.Redo > 0 {
		return do()
	}
	if o.spend(it.URI, 0, 0, 1) {
		return 0, errSpent()
	}
	if size, err = do(); err != nil {
		o.spend(it.URI, 0, 0, -1)
	} else {
		o.spend(it.URI, 1, size, -1)
	}
	return size, err
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
