package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

// A response that does not end where the library looks for its end must not block the request forever (promise 5): the library went on
// reading for a "]" or a quote after the tagged line, although the server sent nothing more.
func TestPromise5RepliesWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads long replies")
	}
	for _, reply := range []string{"%s NO [OOPS not you\r\n", "* X \"abc\r\n%s OK done\r\n", "%s OK [CAPABILITY \"x\r\n", "%s OK [X",
		"* OK [ALERT x\r\n%s OK\r\n", "* LIST () \"/\" {500} \r\n%s OK done\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			c := fetch.New(Schemes(nil)...)
			defer c.Close()
			c.Timeouts = fetch.Timeouts{Idle: 300 * time.Millisecond, Total: 2 * time.Second}
			c.Dialer = schemetest.Dialer(func(c net.Conn) {
				answer(c, func(w io.Writer, tag, line string) {
					if strings.HasPrefix(line, "CAPABILITY") {
						fmt.Fprintf(w, "* CAPABILITY IMAP4rev1\r\n%s OK done\r\n", tag)
						return
					}
					fmt.Fprintf(w, reply, tag)
				})
			})
			start := time.Now()
			d, err := c.Get(t.Context(), uri.MustParse("imap://ann:pw@h/INBOX/;UID=1"), nil)
			if err == nil {
				d.Body.Close()
				t.Errorf("%q: got a document, want an error", reply)
			}
			if took := time.Since(start); took > c.Timeouts.Total {
				t.Errorf("%q: took %s, want at most %s", reply, took, c.Timeouts.Total)
			}
		})
	}
}

// A wait for bytes that no response will bring ends with the time for a reply, or with the request. An idle session waits as long as
// necessary.
func TestGuardWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := &guard{idle: time.Minute, ctx: ctx}
		g.changed.L = &g.mu
		ended := make(chan error, 1)
		go func() { _, err := g.wait(); ended <- err }()
		time.Sleep(time.Hour)
		select {
		case err := <-ended:
			t.Fatalf("an idle session ends: got %v, want it to wait", err)
		default:
		}
		start := time.Now()
		g.call(func() error {
			if err := <-ended; fetch.KindOf(err) != fetch.ErrProtocol || time.Since(start) != 2*time.Minute {
				t.Errorf("after %s: got %v, want %v, after %v", time.Since(start), err, fetch.ErrProtocol, 2*time.Minute)
			}
			return nil
		})
		g = &guard{idle: time.Minute, ctx: ctx}
		g.changed.L = &g.mu
		go func() { _, err := g.wait(); ended <- err }()
		for range 3 { // calls that return in time leave no timer running
			g.call(func() error { time.Sleep(80 * time.Second); return nil })
		}
		time.AfterFunc(time.Second, cancel)
		start = time.Now()
		g.call(func() error {
			if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("after %s: got %v, want %v, after %v", time.Since(start), err, context.Canceled, time.Second)
			}
			return nil
		})
	})
}
