//go:build unix || windows

package main

import (
	"cmp"
	"hash/fnv"
	"io"
	"iter"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
)

// lanes is how many URIs are added at a time, since each waits until the hub has written it to the disk. Those of a host share a lane, so they
// remain in order.
const lanes = 64

// An adding adds the URIs of a list.
type adding struct {
	job *hub.Job

	mu  sync.Mutex
	n   int
	err error // the first
}

// addAll adds the URIs of a list, and returns how many it has added, without those that were added just before. An invalid line is an error after
// the others were added.
func addAll(j *hub.Job, list iter.Seq2[*batch.Item, error]) (n int, invalid error) {
	a := &adding{job: j}
	var all sync.WaitGroup
	var to [lanes]chan uri.URI
	for i := range to {
		to[i] = make(chan uri.URI, 16)
		all.Go(func() { a.lane(to[i]) })
	}
	for it, err := range list {
		if err == nil {
			err = addable(it)
		}
		if err != nil {
			invalid = cmp.Or(invalid, err)
			continue
		}
		if a.failed() {
			break
		}
		h := fnv.New32a()
		io.WriteString(h, strings.ToLower(it.URI.Hostname()))
		to[h.Sum32()%lanes] <- it.URI
	}
	for i := range to {
		close(to[i])
	}
	all.Wait()
	return a.n, cmp.Or(a.err, invalid)
}

// addable returns an error if workers would not process an item as its list has it.
func addable(it *batch.Item) error {
	switch {
	case it.URI.Scheme() == "file":
		return fetch.Errorf(fetch.ErrDenied, "%s: workers do not read local files", it.URI.Redacted(nil))
	case !it.Range.IsZero() || len(it.Search) > 0 || len(it.Set) > 0:
		return fetch.Errorf(fetch.ErrUnsupported, "%s: a job has URIs without a range, search words and settings", it.URI.Redacted(nil))
	}
	return nil
}

func (a *adding) lane(in <-chan uri.URI) {
	for u := range in {
		if a.failed() {
			continue
		}
		added, err := a.job.Add(u, nil)
		a.mu.Lock()
		if added {
			a.n++
		}
		a.err = cmp.Or(a.err, err)
		a.mu.Unlock()
	}
}

func (a *adding) failed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err != nil
}
