package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// A printer is standard output for text of the command itself. It remembers the first failure to write, which becomes the exit code, so callers
// need not check each line. On a terminal the text goes through the filter, because it contains text of servers. Documents are written by
// fetch/save, which filters them, too.
type printer struct {
	file *os.File
	mu   sync.Mutex
	to   io.Writer // the file, or the filter before it; nil until something is written
	lost error     // the first failure to write
	told bool      // it was printed
}

// Out returns standard output for text of the command itself.
func (a *App) Out() io.Writer { return &a.printer }

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to == nil {
		p.to = terminal.Filtered(p.file)
	}
	n, err := p.to.Write(b)
	return n, p.note(err)
}

// FailOutput prints the first failure to write, unless that was printed, and returns its exit code if status is 0.
func (a *App) FailOutput(status int) int {
	if lost := a.Flush(); !a.printer.tell(nil) {
		return cmp.Or(status, a.Fail(lost))
	}
	return status
}

// tell notes that an error is printed, and reports whether the failure to write was.
func (p *printer) tell(err error) (told bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = p.told || p.lost != nil && errors.Is(err, p.lost)
	return p.told
}

// Flush flushes the filter, and returns the first failure to write.
func (a *App) Flush() error {
	p := &a.printer
	p.mu.Lock()
	defer p.mu.Unlock()
	if filter, ok := p.to.(*render.Terminal); ok {
		p.note(filter.Flush())
	}
	return p.lost
}

// Finish closes standard output, where NFS and quotas report some failures to write. It returns the exit code.
func (a *App) Finish(code int) int {
	if err := a.Stdout.Close(); err != nil && code == 0 && !errors.Is(err, os.ErrClosed) {
		return a.Fail(fetch.Errorf(fetch.ErrDisk, "%w", err))
	}
	return code
}

func (p *printer) note(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // which fetch/save sets when the run is interrupted
		err = context.Canceled
	} else {
		err = fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	p.lost = cmp.Or(p.lost, err)
	return err
}

// An asIs writes to standard output without the filter.
type asIs struct{ *printer }

func (p asIs) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.file.Write(b)
	return n, p.note(err)
}

// Verbatim returns a Writer to standard output that changes nothing, for text that is escaped already: the user's own words in it are kept.
func (a *App) Verbatim() io.Writer { return asIs{&a.printer} }

// ReopenStdout makes it possible to interrupt a write to standard output that waits for the reader of a pipe.
func (a *App) ReopenStdout() {
	a.Stdout = terminal.Reopen(a.Stdout)
	a.printer.file, a.printer.to = a.Stdout, nil
}
