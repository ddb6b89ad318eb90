package main

import (
	"io"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// brief returns short timeouts for these tests.
func brief() fetch.Timeouts {
	return fetch.Timeouts{Connect: 5 * time.Second, Idle: 300 * time.Millisecond, Total: time.Second}
}

// Whatever the server does or fails to do from any point on, the request ends within its timeouts (promise 5): the server itself never ends.
func TestPromise5EverySchemeEnds(t *testing.T) {
	long(t, "it takes most of a minute")
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func())) {
		total := wholeOf(t, newClient, u)
		for name, then := range map[string]func(*meddled, []byte) (int, error){
			"silence": stalls, "drip": drips, "noise": pauses(repeats("\xff\x00\x80\r\n")), "lines": pauses(repeats("-")),
			"numbers": pauses(repeats("200-1 2 3\r\n"))} {
			for _, at := range points(total, 8) {
				try(func() {
					c := newClient()
					c.Timeouts = brief()
					defer c.Close()
					meddle(c, at, then)
					d, err := c.Get(t.Context(), u, nil)
					n := int64(0)
					if d != nil {
						n, err = io.Copy(io.Discard, d.Body)
						d.Body.Close()
					}
					if err == nil && name == "silence" && n != int64(len(want)) {
						t.Errorf("%s at %d: got %d of %d bytes without an error, want one", name, at, n, len(want))
					}
				})
			}
		}
	})
}
