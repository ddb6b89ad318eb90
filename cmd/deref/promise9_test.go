package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"unicode"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// No control character that a server sends, at any point of the conversation, is shown to the user in an error or a trace (promise 9).
func TestPromise9NoServerDrivesTheTerminal(t *testing.T) {
	t.Parallel()
	const evil = "550 * NO \x1b]0;pwned\x07\x1b[2J\u009b31m\u202eevil\r\n"
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte, try func(func())) {
		total := wholeOf(t, newClient, u)
		for _, at := range points(total, 20) {
			try(func() {
				c := newClient()
				c.Timeouts = brief()
				c.Limits.Document = 1 << 20
				defer c.Close()
				meddle(c, at, repeats(evil))
				var mu sync.Mutex
				var shown strings.Builder
				d, err := c.Get(t.Context(), u, &fetch.Options{Trace: func(e fetch.Event) {
					mu.Lock()
					defer mu.Unlock()
					fmt.Fprint(&shown, e.Note)
					if e.Step != nil {
						fmt.Fprint(&shown, render.Escape(render.Step(*e.Step)))
					}
				}})
				if d != nil {
					if _, rerr := io.Copy(io.Discard, d.Body); err == nil {
						err = rerr
					}
					d.Body.Close()
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					fmt.Fprint(&shown, render.Escape(err.Error()))
					if strings.ContainsAny(err.Error(), "\r\n") {
						t.Errorf("at %d: got error %q, want one line", at, err.Error())
					}
				}
				control := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
				if i := strings.IndexFunc(shown.String(), control); i >= 0 {
					t.Errorf("at %d: got %q, want no control characters", at, shown.String()[max(0, i-60):min(len(shown.String()), i+60)])
				}
			})
		}
	})
}
