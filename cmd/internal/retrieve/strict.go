package retrieve

import (
	"fmt"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// deviations collects what --strict finds while one URI is dereferenced. A nil one is empty.
type deviations struct {
	mu   sync.Mutex
	list []fetch.Deviation
}

func (v *deviations) all() []fetch.Deviation {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}

// watch returns req with the function that collects deviations and prints them; -v shows them within the conversation. Without --strict it
// returns req itself.
func (c *command) watch(req *fetch.Options) (*fetch.Options, *deviations) {
	if !c.flags.strict {
		return req, nil
	}
	v, strict := &deviations{}, *req
	strict.Strict = func(d fetch.Deviation) {
		v.mu.Lock()
		v.list = append(v.list, d)
		v.mu.Unlock()
		if c.flags.Verbose || c.flags.silent {
			return
		}
		c.progress.aside(func() {
			fmt.Fprintf(c.app.Stderr, "deref: deviation: %s: %s\n", render.Escape(c.schemes.Redact(d.URI)), render.Escape(d.String()))
		})
	}
	return &strict, v
}
