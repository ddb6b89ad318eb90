package terminal

import (
	"context"
	"sync"
)

const (
	xon  = 'Q' - '@'
	xoff = 'S' - '@'
)

// A Flow decides whether Ctrl-S and Ctrl-Q stop and start the host's output on this side instead of being sent. The zero value sends them.
type Flow struct {
	mu      sync.Mutex
	on, any bool
	gate    chan struct{} // closed to resume; nil while the output is not stopped
}

// Set turns flow control on or off. Turning it off resumes the output.
func (f *Flow) Set(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.on = on; !on {
		f.open()
	}
}

// Any sets whether any key resumes the output and is sent as well, or only Ctrl-Q resumes it.
func (f *Flow) Any(any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.any = any
}

// Keys handles the two keys in p and returns the others.
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

// Wait blocks while the output is stopped, until ctx is done.
func (f *Flow) Wait(ctx context.Context) {
	f.mu.Lock()
	gate := f.gate
	f.mu.Unlock()
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-ctx.Done():
	}
}
