package check

import (
	"encoding/json"
	"io"

	"example.org/deref/fetch"
)

// A Baseline holds the problems of an earlier run, from its JSON report. A nil Baseline holds none.
type Baseline struct {
	known map[string]baselineLink
}

type baselineLink struct {
	sources map[string]bool
	all     bool // the report does not name all places
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
	b := &Baseline{known: map[string]baselineLink{}}
	for _, j := range report.Results {
		if !j.Verdict.IsBad() && j.Class == "" {
			continue
		}
		l := baselineLink{map[string]bool{}, j.Count > len(j.Places)}
		for _, p := range j.Places {
			l.sources[p.Source] = true
		}
		b.known[j.URI] = l
	}
	return b, nil
}

// has reports whether the baseline has the problem of r for every document that contains the link. Line numbers do not matter.
func (b *Baseline) has(r *Result) bool {
	if b == nil {
		return false
	}
	l, ok := b.known[r.Name()]
	for _, p := range r.Places {
		ok = ok && (l.all || l.sources[r.shown(p.Source)])
	}
	return ok
}
