package app

import (
	"cmp"
	"errors"
	"io"
	"os"
	"sync"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// A printer is standard output for what the command itself has to say, which it writes a line at a time and where it would look at
// no error: it keeps the first one, and run makes it the exit code. On a terminal all of it goes through the filter, since servers'
// words are in it. Documents go by fetch/save, which does likewise.
type printer struct {
	file   *os.File
	mu     sync.Mutex
	screen *render.Terminal // nil if the file is no terminal
	opened bool
	lost   error // the first failure to write
}

// Out is the app's printer.
func (a *App) Out() io.Writer { return &a.printer }

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opened {
		if p.opened = true; terminal.IsTerminal(p.file) {
			p.screen = render.NewTerminal(p.file)
		}
	}
	if p.screen != nil {
		n, err := p.screen.Write(b)
		return n, p.note(err)
	}
	n, err := p.file.Write(b)
	return n, p.note(err)
}

// close shows what the filter has kept back, and returns the first failure.
func (p *printer) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen != nil {
		p.note(p.screen.Flush())
	}
	return p.lost
}

// Finish closes standard output: NFS and quotas refuse some writes only then.
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
	err = fetch.Errorf(fetch.ErrDisk, "%w", err)
	p.lost = cmp.Or(p.lost, err)
	return err
}

// An asIs prints what was escaped where it was made: the user's own words between it stay as they are.
type asIs struct{ *printer }

func (p asIs) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.file.Write(b)
	return n, p.note(err)
}

// Flush shows what the filter has kept back, and returns the first failure to write.
func (a *App) Flush() error { return a.printer.close() }

// Verbatim returns a Writer to standard output that passes on what is written as it is, for text that was escaped where it was made.
func (a *App) Verbatim() io.Writer { return asIs{&a.printer} }

// ReopenStdout makes standard output such that waiting for the reader of a pipe can be interrupted.
func (a *App) ReopenStdout() {
	a.Stdout = terminal.Reopen(a.Stdout)
	a.printer.file = a.Stdout
}
