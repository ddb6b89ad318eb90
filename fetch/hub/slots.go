//go:build unix || windows

package hub

import (
	"context"
	"slices"
	"sort"
	"sync"
)

// slots let a number of requests run at a time. Of those that wait, one of the lowest rank is next.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter // by rank, then by time
}

type waiter struct {
	rank  int
	ready chan struct{} // is closed when it has a slot
}

// take waits for a slot. It returns false if ctx ends before.
func (s *slots) take(ctx context.Context, rank int) bool {
	w := &waiter{rank, make(chan struct{})}
	s.mu.Lock()
	at := sort.Search(len(s.waiting), func(i int) bool { return s.waiting[i].rank > rank })
	s.waiting = slices.Insert(s.waiting, at, w)
	s.next()
	s.mu.Unlock()
	select {
	case <-w.ready:
		return true
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else { // it has just got one
		s.free++
		s.next()
	}
	return false
}

func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	s.next()
}

// have reports whether n slots are free.
func (s *slots) have(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free == n
}

// next lets those run for which there are slots. The caller holds s.mu.
func (s *slots) next() {
	for s.free > 0 && len(s.waiting) > 0 {
		s.free--
		close(s.waiting[0].ready)
		s.waiting = slices.Delete(s.waiting, 0, 1)
	}
}
