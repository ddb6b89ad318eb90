package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
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

// answering starts a server that calls answer for each client. It returns its address.
func answering(t *testing.T, each func(w io.Writer, tag, line string)) string {
	t.Helper()
	return loopback.ForTest(t, func(nc net.Conn) { answer(nc, each) })
}

// answer greets a client as an IMAP server does, and calls each for each of its lines.
func answer(nc net.Conn, each func(w io.Writer, tag, line string)) {
	defer nc.Close()
	fmt.Fprint(nc, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
	for in := bufio.NewScanner(nc); in.Scan(); {
		tag, line, _ := strings.Cut(in.Text(), " ")
		each(nc, tag, line)
	}
}

// The numbers of a search response may be out of order, but not so many of them that sorting keeps the library's goroutine busy for half
// a minute (promise 5), in whatever form the server sends them.
func TestPromise5SearchOutOfOrder(t *testing.T) {
	descending := func(n int, between string) string {
		var b strings.Builder
		for i := n; i > 0; i-- {
			b.WriteString(between + strconv.Itoa(2*i))
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, reply string
		kind        fetch.Kind
	}{
		{"few", "* SEARCH" + descending(4000, " ") + "\r\n", fetch.ErrNotFound},
		{"one line", "* SEARCH" + descending(5000, " ") + "\r\n", fetch.ErrLimit},
		{"a line each", descending(5000, "\r\n* SEARCH ")[2:] + "\r\n", fetch.ErrLimit},
		{"lower case", "* search" + descending(5000, " ") + "\r\n", fetch.ErrLimit},
		{"a code", "* OK [COPYUID 1 " + descending(5000, ",")[1:] + " 1] x\r\n", fetch.ErrLimit},
		{"ascending", "* SEARCH" + strings.Repeat(" 1 2 3 4 5 6 7 8 9", 100) + "\r\n", fetch.ErrNotFound},
	} {
		addr := answering(t, func(w io.Writer, tag, line string) {
			switch {
			case strings.HasPrefix(line, "CAPABILITY"):
				fmt.Fprint(w, "* CAPABILITY IMAP4rev1\r\n")
			case strings.HasPrefix(line, "EXAMINE"):
				fmt.Fprint(w, "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n")
			case strings.HasPrefix(line, "LIST"):
				fmt.Fprint(w, "* LIST () \"/\" INBOX\r\n")
			case strings.HasPrefix(line, "UID SEARCH"):
				fmt.Fprint(w, tt.reply)
			}
			fmt.Fprintf(w, "%s OK done\r\n", tag)
		})
		c := fetch.New(Schemes(&Config{Sources: []Source{{URI: "imap://ann:pw@" + addr}}})...)
		d, err := c.Get(t.Context(), uri.MustParse("mid:a@b"), nil)
		if d != nil {
			d.Body.Close()
		}
		if fetch.KindOf(err) != tt.kind {
			t.Errorf("%s: %.200v, want %s", tt.name, err, tt.kind)
		}
		c.Close()
	}
}
