package check

import (
	"encoding/json"
	"io"
	"slices"

	"example.org/deref/fetch"
)

// A Baseline holds the problems of an earlier run, from its JSON report. A nil Baseline holds none.
type Baseline struct {
	known map[string]resultJSON
}

// ReadBaseline reads a report that JSONReport wrote.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	var report struct {
		Version int          `json:"version"`
		Results []resultJSON `json:"results"`
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "not a JSON report of checked links: %w", err)
	}
	if report.Version != reportVersion {
		return nil, fetch.Errorf(fetch.ErrLocal, "not a report of version %d", reportVersion)
	}
	b := &Baseline{known: map[string]resultJSON{}}
	for _, j := range report.Results {
		if j.Verdict.IsBad() || j.Class != "" {
			b.known[j.URI] = j
		}
	}
	return b, nil
}

// has reports whether the baseline has the problem of r for every document that contains the link. Line numbers do not matter.
func (b *Baseline) has(r *Result) bool {
	if b == nil {
		return false
	}
	j, ok := b.known[r.Name()]
	for _, p := range r.Places { // the report may not name all places
		ok = ok && (j.Count > len(j.Places) || slices.ContainsFunc(j.Places, func(old placeJSON) bool { return old.Source == r.shown(p.Source) }))
	}
	return ok
}
