package main

import (
	"io"
	"sync"

	"example.org/deref/fetch"
)

// A printer is standard output for what the command itself has to say, which it writes a line at a time and where it would look at
// no error: it keeps the first one, and run makes it the exit code. Documents go by fetch/save, which does likewise.
type printer struct {
	to   io.Writer
	mu   sync.Mutex
	lost error // the first failure to write
}

// out is the app's printer.
func (a *app) out() io.Writer { return &a.printer }

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.to.Write(b)
	if err == nil {
		return n, nil
	}
	err = fetch.Errorf(fetch.ErrDisk, "%w", err)
	p.lost = firstOf(p.lost, err)
	return n, err
}
