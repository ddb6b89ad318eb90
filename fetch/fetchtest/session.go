package fetchtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/uri"
)

// A Display records what a session writes to its terminal. The zero value is ready for use.
type Display struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer, for fetch.Terminal.Out.
func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

// String returns everything written so far.
func (d *Display) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// Wait returns when want has been written, and fails the test if it never is.
func (d *Display) Wait(t testing.TB, want string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("the display shows %q", d)
		}
	}()
	loopback.Until(t, fmt.Sprintf("%q on the display", want), func() bool { return strings.Contains(d.String(), want) })
}

// A Session is an interactive session that a test holds.
type Session struct {
	Keys   *io.PipeWriter // the keyboard; closing it ends the user's input
	screen Display
	done   chan error
}

// Attach starts a session with address. It sets term's In and Out.
func Attach(t testing.TB, ctx context.Context, c *fetch.Client, address string, term *fetch.Terminal) *Session {
	t.Helper()
	u, err := uri.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	s := &Session{Keys: keys, done: make(chan error, 1)}
	term.In, term.Out = in, &s.screen
	go func() { s.done <- c.Attach(ctx, u, term, nil) }()
	return s
}

// String returns the output of the session so far.
func (s *Session) String() string { return s.screen.String() }

// Wait returns when want has been output, and fails the test if it never is.
func (s *Session) Wait(t testing.TB, want string) {
	t.Helper()
	s.screen.Wait(t, want)
}

// Type types text. Text typed after the end of the session is lost.
func (s *Session) Type(text string) { io.WriteString(s.Keys, text) }

// End waits for the end of the session and returns its error.
func (s *Session) End(t testing.TB) error {
	t.Helper()
	return <-s.done
}

// NoGoroutinesLeft waits until no more goroutines run than before, and fails the test if some stay.
func NoGoroutinesLeft(t testing.TB, before int) {
	t.Helper()
	loopback.Until(t, fmt.Sprintf("end of all goroutines but %d", before), func() bool { return runtime.NumGoroutine() <= before })
}
