//go:build !wasip1

// Package screen shows a browser (package fetch/browse) on a terminal.
//
// It uses github.com/gdamore/tcell/v3. tcell and bubbletea v2 are both maintained, and were both built and measured. tcell fits better: a model
// that yields lines of cells needs a grid and keys, not another event loop with commands and messages; tcell measures cells with the package
// that fetch/render uses (displaywidth), so columns agree; it adds 3 modules instead of 12; and it can be told to send the terminal no
// questions, and to drop control characters (promise 9). Linking either costs every start: with tcell, `deref file:///...` took 4.1 ms of CPU
// time instead of 3.2 at best, and 6.4 instead of 5.6 in the median of 200 interleaved runs, because its packages fill tables of charsets and
// key codes when the program starts (0.3 ms, GODEBUG=inittrace=1). So only cmd/deref-browse links this package, and `deref browse` executes that.
package screen

import (
	"context"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/browse"
)

// A Screen is the terminal of this process.
type Screen struct {
	Getenv func(string) string

	tty     tcell.Screen
	pasting bool
}

// Show shows b until the user leaves or ctx ends. It restores the terminal's settings.
func (s *Screen) Show(ctx context.Context, b *browse.Browser) error {
	if err := s.open(); err != nil {
		return err
	}
	defer func() { s.tty.Fini() }()
	tick := time.NewTicker(busyEvery)
	defer tick.Stop()
	for !b.Over() {
		s.show(b)
		var again <-chan time.Time
		if b.Busy() {
			again = tick.C
		}
		select {
		case e := <-s.tty.EventQ():
			if err := s.event(e, b); err != nil {
				return err
			}
		case do := <-b.Results():
			do()
		case <-again:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// open prepares the terminal.
func (s *Screen) open() error {
	// Send no queries to the terminal: a reply that arrives after the end would be read by the shell.
	options := []tcell.TerminfoScreenOption{tcell.OptNegotiation(false), tcell.OptSanitizeContent(true)}
	if !terminal.HasColors(s.Getenv) {
		options = append(options, tcell.OptColors(0))
	}
	tty, err := tcell.NewScreen(options...)
	if err == nil {
		err = tty.Init()
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
	}
	tty.EnablePaste()
	tty.EnableMouse(tcell.MouseButtonEvents)
	s.tty = tty
	return nil
}

// busyEvery is how often the screen shows how much has arrived.
const busyEvery = 200 * time.Millisecond

// Outside runs f while the terminal has its own settings.
//
// QUIRK: tcell v3.6.0 does not wait for its reader when it suspends a screen. The reader could take the first keys after Resume, and the race
// detector reported it. So the screen is ended, and another one is begun.
func (s *Screen) Outside(f func() error) error {
	s.tty.Fini()
	err := f()
	if again := s.open(); again != nil {
		return again
	}
	return err
}

// event passes an event of the terminal on.
func (s *Screen) event(e tcell.Event, b *browse.Browser) error {
	switch e := e.(type) {
	case *tcell.EventResize:
		s.tty.Sync()
	case *tcell.EventError:
		return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", e)
	case *tcell.EventPaste:
		s.pasting = e.Start()
	case *tcell.EventKey:
		return s.key(e, b)
	case *tcell.EventMouse:
		switch x, y := e.Position(); e.Buttons() {
		case tcell.WheelUp:
			b.Scroll(-3)
		case tcell.WheelDown:
			b.Scroll(3)
		case tcell.Button1:
			b.Click(x, y)
		}
	}
	return nil
}

// key handles a key. What is pasted is only text, and only an answer to a question: it must not press Enter, or be taken for commands.
func (s *Screen) key(e *tcell.EventKey, b *browse.Browser) error {
	if s.pasting && (e.Key() != tcell.KeyRune || !b.Asking()) {
		return nil
	}
	switch e.Key() {
	case tcell.KeyCtrlL:
		s.tty.Sync()
	case tcell.KeyCtrlZ:
		return s.Outside(func() error { terminal.Suspend(); return nil })
	case tcell.KeyRune:
		b.Key(browse.Key(e.Str()))
	case tcell.KeyBackspace2: // what the key sends on most terminals
		b.Key(browse.Backspace)
	default:
		b.Key(browse.Key(tcell.KeyNames[e.Key()]))
	}
	return nil
}

// show shows the browser in the size that the terminal has. tcell reads the size when it draws, and may do so before it reports a change.
func (s *Screen) show(b *browse.Browser) {
	for {
		width, height := s.tty.Size()
		b.Resize(width, height)
		s.draw(b.Frame())
		if w, h := s.tty.Size(); w == width && h == height {
			return
		}
	}
}

// draw shows a frame.
func (s *Screen) draw(f browse.Frame) {
	s.tty.Clear()
	for y, line := range f.Lines {
		x := 0
		for _, part := range line {
			style := styleOf(part.Style)
			for text, cells := part.Text, 0; text != ""; x += cells {
				// Outside the screen, Put does nothing. A frame can be larger than the screen, which tcell resizes at any time.
				if text, cells = s.tty.Put(x, y, text, style); cells == 0 {
					break
				}
			}
		}
	}
	if s.tty.HideCursor(); f.X >= 0 {
		s.tty.ShowCursor(f.X, f.Y)
	}
	s.tty.Show()
}

// styleOf returns what the terminal shows for a style. Without colors, links are underlined, and the selected one is in reverse.
func styleOf(s browse.Style) tcell.Style {
	d := tcell.StyleDefault
	switch s {
	case browse.Linked:
		return d.Foreground(color.Teal).Underline(true)
	case browse.Selected:
		return d.Reverse(true)
	case browse.Heading:
		return d.Bold(true)
	case browse.Quote:
		return d.Italic(true)
	case browse.Title:
		return d.Reverse(true)
	case browse.Match:
		return d.Bold(true).Reverse(true)
	case browse.Failure:
		return d.Foreground(color.Maroon).Bold(true)
	}
	return d
}
