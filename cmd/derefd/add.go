//go:build unix || windows

package main

import (
	"cmp"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
)

// addAll adds the URIs of a list, and returns how many it has added, without those that were added just before. An invalid line is an error after
// the others were added.
func addAll(j *hub.Job, list batch.Seq) (n int64, err error) {
	to := j.Adder()
	var invalid error
	for it, err := range list {
		if err == nil {
			err = addable(it)
		}
		if err != nil {
			invalid = cmp.Or(invalid, err)
			continue
		}
		if to.Add(it.URI, nil) != nil {
			break // Flush returns the error
		}
	}
	n, err = to.Flush()
	return n, cmp.Or(err, invalid)
}

// addable returns an error if workers would not process an item as its list has it.
func addable(it *batch.Item) error {
	switch {
	case it.URI.Scheme() == "file":
		return fetch.Errorf(fetch.ErrDenied, "%s: workers do not read local files", it.URI.Redacted(nil))
	case !it.Range.IsZero() || len(it.Search) > 0 || len(it.Set) > 0 || it.Check != nil:
		return fetch.Errorf(fetch.ErrUnsupported, "%s: a job has URIs without a range, search words, settings and checksums", it.URI.Redacted(nil))
	}
	return nil
}
