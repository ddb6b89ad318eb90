//go:build unix || windows

package main

import (
	"testing"

	"example.org/deref/fetch/warc"
)

// Requests for URIs that differ in their fragments have the same record, and run at the same time.
func TestPlacesOfFragments(t *testing.T) {
	p := places{of: map[string]*place{}}
	p.await("http://h/a")
	p.await("http://h/a")
	p.stored(warc.StoredRecord{Target: "http://h/a", File: "a.warc.gz", Offset: 7})
	for range 2 {
		if got := p.take("http://h/a"); got.file != "a.warc.gz" || got.at != 7 {
			t.Errorf("got %+v, want the record in a.warc.gz at 7", got)
		}
	}
	p.await("http://h/a")
	if got := p.take("http://h/a"); got.file != "" || len(p.of) > 0 {
		t.Errorf("got %+v of a later request and %v, want nothing", got, p.of)
	}
}
