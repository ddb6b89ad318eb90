package retrieve

import (
	"fmt"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// deviations collects what --strict finds while one URI is dereferenced.
type deviations struct {
	mu   sync.Mutex
	list []fetch.Deviation
}

func (v *deviations) all() []fetch.Deviation {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}

// watch adds to the request the function that collects deviations and prints them, with --strict. -v shows them within the conversation.
func (r *retrieval) watch() {
	if !r.flags.strict {
		return
	}
	strict := *r.request
	strict.Strict = func(d fetch.Deviation) {
		r.found.mu.Lock()
		r.found.list = append(r.found.list, d)
		r.found.mu.Unlock()
		if r.flags.Verbose || r.flags.silent {
			return
		}
		r.progress.aside(func() {
			fmt.Fprintf(r.app.Stderr, "deref: deviation: %s: %s\n", render.Escape(r.schemes.Redact(d.URI)), render.Escape(d.String()))
		})
	}
	r.request = &strict
}
