// Package sessiontest holds what the tests of the interactive schemes share: a terminal whose screen can be waited for, and a session
// attached to it.
package sessiontest

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// patience is how long anything is waited for: far more than it takes, also on a busy machine.
const patience = 20 * time.Second

// A Display is a terminal's screen. The zero value is a void one.
type Display struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

// String is all that was shown.
func (d *Display) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// Wait returns when want has been shown.
func (d *Display) Wait(t testing.TB, want string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(d.String(), want); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q does not come: %q", want, d.String())
		}
	}
}

// A Session is one that is attached to a test.
type Session struct {
	Keys *io.PipeWriter // what is typed; its end is the user's
	done chan error
}

// Attach begins a session; term's In is replaced.
func Attach(t testing.TB, ctx context.Context, c *fetch.Client, address string, term *fetch.Terminal) *Session {
	t.Helper()
	u, err := uri.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	term.In = in
	s := &Session{Keys: keys, done: make(chan error, 1)}
	go func() { s.done <- c.Attach(ctx, u, term, nil) }()
	return s
}

// Type types; that the session may be over is not its business.
func (s *Session) Type(text string) { io.WriteString(s.Keys, text) }

// End waits for the session's end, and returns its error.
func (s *Session) End(t testing.TB) error {
	t.Helper()
	select {
	case err := <-s.done:
		return err
	case <-time.After(patience):
		t.Fatal("the session does not end")
		return nil
	}
}

// NoneLeft waits until there are no more goroutines than before.
func NoneLeft(t testing.TB, before int) {
	t.Helper()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
