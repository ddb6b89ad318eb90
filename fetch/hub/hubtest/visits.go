//go:build unix || windows

package hubtest

import (
	"sync"
	"testing"
)

// Visits are the requests that run at the servers of a test. The zero value is ready to use.
type Visits struct {
	mu      sync.Mutex
	running map[string]map[string]int // host to worker to requests
	total   int
	clashes []clash
}

// A clash is a moment with requests of two workers at a host.
type clash struct{ host, earlier, later string }

// Begin counts a request of a worker to a host. end must be called when it has been answered.
func (v *Visits) Begin(host, worker string) (end func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.running == nil {
		v.running = map[string]map[string]int{}
	}
	here := v.running[host]
	if here == nil {
		here = map[string]int{}
		v.running[host] = here
	}
	for other := range here {
		if other != worker {
			v.clashes = append(v.clashes, clash{host, other, worker})
		}
	}
	here[worker]++
	v.total++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if here[worker]--; here[worker] == 0 {
			delete(here, worker)
		}
	}
}

// Total returns the number of requests so far.
func (v *Visits) Total() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.total
}

// Check fails if a host had requests of two workers at a time, unless one of them is excused. It returns the number of those.
func (v *Visits) Check(t *testing.T, excused map[string]bool) (n int) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.clashes {
		if excused[c.earlier] || excused[c.later] {
			n++
			continue
		}
		t.Errorf("%s: got requests of %s and %s at a time, want one worker unless one was frozen", c.host, c.earlier, c.later)
	}
	return n
}
