package session

import (
	"context"
	"sync"
)

const (
	xon  = 'Q' - '@'
	xoff = 'S' - '@'
)

// A Flow is whether Ctrl-S and Ctrl-Q stop and start what the host says at this end, rather than being its input. The zero value
// leaves them to the host.
type Flow struct {
	mu      sync.Mutex
	on, any bool
	gate    chan struct{} // closed to go on; nil while nothing is stopped
}

// Set switches it; off, what was stopped goes on.
func (f *Flow) Set(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.on = on; !on {
		f.open()
	}
}

// Any says whether any key goes on, and is input too, or Ctrl-Q alone.
func (f *Flow) Any(any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.any = any
}

// Keys takes the two out of what was typed.
func (f *Flow) Keys(p []byte) (rest []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on {
		return p
	}
	for _, c := range p {
		switch {
		case c == xoff && f.gate == nil:
			f.gate = make(chan struct{})
		case c == xon, c != xoff && f.any:
			f.open()
		}
		if c != xon && c != xoff {
			rest = append(rest, c)
		}
	}
	return rest
}

// open is called with mu held.
func (f *Flow) open() {
	if f.gate != nil {
		close(f.gate)
		f.gate = nil
	}
}

// Wait returns when nothing is stopped, or the session ends.
func (f *Flow) Wait(ctx context.Context, over <-chan struct{}) {
	f.mu.Lock()
	gate := f.gate
	f.mu.Unlock()
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-over:
	case <-ctx.Done():
	}
}
