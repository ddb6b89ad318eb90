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
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

// hostile writes words before the tagged response to the command verb. "%s" in them is the tag.
func hostile(verb, words string) func(w io.Writer, tag, line string) bool {
	return func(w io.Writer, tag, line string) bool {
		if strings.HasPrefix(line, verb) {
			io.WriteString(w, strings.ReplaceAll(words, "%s", tag))
		}
		return true
	}
}

// The library starts goroutines of its own, and the Client cannot contain a panic there: no response may end the process. The library's
// reader recovers from panics, but nobody recovers from an unbounded stack, or from a map that two goroutines use at once. With
// guard.inspect disabled by hand, the first row was seen to spin for minutes beyond every deadline, making one error of a million others
// in readBody; only Conn's limit of a reply keeps the stack below the size at which the process dies.
func TestLibraryGoroutinesLive(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("(", 2<<20)
	for _, tt := range []struct {
		name, verb, path, words string
		kind                    fetch.Kind
	}{
		{"a structure without end", "UID FETCH", "/INBOX/;UID=1", "* 1 FETCH (UID 1 BODYSTRUCTURE " + deep, fetch.ErrLimit},
		{"threads without end", "UID FETCH", "/INBOX/;UID=1", "* THREAD " + deep, fetch.ErrLimit},
		{"values without end", "LIST", "/", "* LIST () \"/\" x (\"y\" " + deep, fetch.ErrLimit},
		{"what it keeps in a map", "EXAMINE", "/INBOX?SUBJECT%20x",
			"%s OK done\r\n" + strings.Repeat("* ENABLED A B C D\r\n", 3000), fetch.ErrProtocol}, // see guard.inspect
		{"messages that nobody asked for", "UID FETCH", "/INBOX/;UID=1", strings.Repeat("* 9 FETCH (UID 99 BODY[] {1}\r\nx)\r\n", 9000), fetch.ErrLimit},
		{"one that ends within its literal", "UID FETCH", "/INBOX/;UID=1", "* 9 FETCH (UID 99 BODY[] {900}\r\nx", fetch.ErrTimeout},
		{"a literal within a literal's line", "UID FETCH", "/INBOX", "* 9 FETCH (UID 9 BODY[HEADER.FIELDS ({3}\r\nx\r\n)] {3}\r\nabc)\r\n", ""},
		{"the same message for ever", "UID FETCH", "/INBOX", strings.Repeat("* 1 FETCH (UID 1 RFC822.SIZE 1)\r\n", 3000), ""},
		{"flags of all messages", "UID FETCH", "/INBOX/;UID=1", strings.Repeat("* 9 FETCH (FLAGS (x))\r\n", 3000) + "* 1 FETCH (UID 1 BODY[] {3}\r\nabc)\r\n", ""},
		{"more items than it has room for", "UID FETCH", "/INBOX", "* 1 FETCH (UID 1" + strings.Repeat(" RFC822.SIZE 1", 3000) + ")\r\n", ""},
		{"continuations", "LOGIN", "/INBOX/;UID=1", strings.Repeat("+ go on\r\n", 3000), fetch.ErrProtocol},
		{"tags", "EXAMINE", "/INBOX/;UID=1", "%s OK\r\n%s OK\r\n%s NO\r\n", fetch.ErrProtocol},
		{"nothing in brackets", "EXAMINE", "/INBOX/;UID=1", "* OK []\r\n* OK [ ]\r\n* NO [CAPABILITY]\r\n%s OK [CAPABILITY ] x\r\n", fetch.ErrProtocol},
		{"numbers that are none", "UID SEARCH", "/INBOX?SUBJECT%20x",
			"* SEARCH 0 4294967296\r\n* ESEARCH (TAG \"%s\") UID ALL 4294967295:1,0:*\r\n", fetch.ErrProtocol},
		{"numbers of another kind", "UID SEARCH", "/INBOX?SUBJECT%20x", "* ESEARCH (TAG \"%s\") ALL 1:2\r\n", fetch.ErrProtocol},
		{"empty words", "UID FETCH", "/INBOX/;UID=1", "*  \r\n* \r\n\r\n* 1\r\n* 0 FETCH ()\r\n", fetch.ErrProtocol},
		{"names", "LIST", "/", "* LIST () \"\" \"&\"\r\n* LIST () NIL &AAA=-\r\n* LIST (\\) \"//\" \"\xff\"\r\n", fetch.ErrProtocol},
		{"a line without end", "EXAMINE", "/INBOX", "* " + strings.Repeat("x", 2<<20), fetch.ErrLimit},
		{"untagged for ever", "EXAMINE", "/INBOX", strings.Repeat("* OK "+strings.Repeat("x", 1<<10)+"\r\n", 1100), fetch.ErrLimit},
		{"a literal that nobody asked for", "EXAMINE", "/INBOX", "* 1 FETCH (UID 1 BODY[] {2000000}\r\n" + strings.Repeat("x", 2<<20), fetch.ErrLimit},
		{"header fields without end", "UID FETCH", "/INBOX", "* 1 FETCH (UID 1 BODY[HEADER.FIELDS (Subject)] {2000000}\r\n" +
			strings.Repeat("x", 2<<20), fetch.ErrLimit},
		{"strings that hide the depth", "EXAMINE", "/INBOX", "* 1 FETCH (BODYSTRUCTURE " + strings.Repeat("(\")\" ", 5000), fetch.ErrLimit},
		{"a structure that the library sees", "EXAMINE", "/INBOX", "* 1 FETCH (BODYSTRUCTURE " + deep[:1000] + "\r\n", fetch.ErrProtocol},
		{"in lower case", "EXAMINE", "/INBOX", "* enabled x\r\n", fetch.ErrProtocol},
		{"another part", "UID FETCH", "/INBOX/;UID=1", "* 1 FETCH (UID 1 BODY[TEXT] {3}\r\nabc)\r\n", fetch.ErrProtocol},
		{"a quoted text", "UID FETCH", "/INBOX/;UID=1", "* 1 FETCH (UID 1 BODY[] \"abc\")\r\n", ""},
		{"an empty literal", "UID FETCH", "/INBOX/;UID=1", "* 1 FETCH (UID 1 BODY[] {0}\r\n)\r\n", ""},
		{"a blank after the size", "UID FETCH", "/INBOX/;UID=1", "* 1 FETCH (UID 1 BODY[] {8} \r\n%s OK x\n)\r\n", ""},
		{"parentheses and tags in a message", "UID FETCH", "/INBOX/;UID=1",
			"* 1 FETCH (UID 1 BODY[] {20000}\r\n" + deep[:19984] + "\n%s OK done\r\n* x)\r\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := fetch.New(Schemes(nil)...)
				defer c.Close()
				c.Timeouts = fetch.Timeouts{Idle: 500 * time.Millisecond, Total: 5 * time.Second}
				c.Dialer = schemetest.Dialer(func(c net.Conn) { answer(c, hostile(tt.verb, tt.words)) })
				d, err := c.Get(t.Context(), uri.MustParse("imap://ann:sesame@127.0.0.1"+tt.path), nil)
				if err == nil {
					_, err = io.Copy(io.Discard, d.Body)
					d.Body.Close()
				}
				if fetch.KindOf(err) != tt.kind {
					t.Errorf("got %.200v, want %q", err, tt.kind)
				}
			})
		})
	}
}

// FuzzLibraryGoroutines passes arbitrary responses to the library through the guard.
func FuzzLibraryGoroutines(f *testing.F) {
	for _, words := range []string{"* 1 FETCH (UID 1 BODY[] {3}\r\nabc)\r\n",
		"* 1 FETCH (UID 1 ENVELOPE (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL))\r\n",
		"* 1 FETCH (BODYSTRUCTURE ((\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 1 1) \"MIXED\"))\r\n", "* OK [PERMANENTFLAGS (\\*)] x\r\n" +
			"* FLAGS ()\r\n* 1 EXPUNGE\r\n",
		"* STATUS x (MESSAGES 1)\r\n* LIST () NIL x\r\n", "* 1 FETCH (FLAGS (a) INTERNALDATE \"01-Jan-2000 00:00:00 +0000\" MODSEQ " +
			"(1))\r\n"} {
		f.Add("UID FETCH", words)
		f.Add("EXAMINE", words)
	}
	known := Schemes(nil)
	u := uri.MustParse("imap://ann:sesame@127.0.0.1/INBOX/;UID=1")
	f.Fuzz(func(t *testing.T, verb, words string) {
		c := fetch.New(known...)
		var served sync.WaitGroup
		defer served.Wait()
		defer c.Close()
		c.Timeouts = fetch.Timeouts{Idle: 50 * time.Millisecond, Total: time.Second}
		c.Dialer = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := fetchtest.Pipe()
			served.Go(func() { answer(theirs, hostile(verb, words)) })
			return ours, nil
		}
		if d, err := c.Get(t.Context(), u, nil); err == nil {
			io.Copy(io.Discard, io.LimitReader(d.Body, 1<<20))
			d.Body.Close()
		}
	})
}

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
				answer(c, func(w io.Writer, tag, line string) bool {
					if strings.HasPrefix(line, "CAPABILITY") {
						return true
					}
					fmt.Fprintf(w, reply, tag)
					return false
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
func answering(t *testing.T, each func(w io.Writer, tag, line string) bool) string {
	t.Helper()
	return loopback.ForTest(t, func(nc net.Conn) { answer(nc, each) })
}

// answer serves a client as an IMAP server does: each of its commands succeeds, unless each returns false. What each writes comes first.
func answer(nc net.Conn, each func(w io.Writer, tag, line string) bool) {
	defer nc.Close()
	fmt.Fprint(nc, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
	for in := bufio.NewScanner(nc); in.Scan(); {
		tag, line, _ := strings.Cut(in.Text(), " ")
		if !each(nc, tag, line) {
			continue
		}
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "CAPABILITY":
			fmt.Fprint(nc, "* CAPABILITY IMAP4rev1\r\n")
		case "EXAMINE":
			fmt.Fprint(nc, "* 5 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n")
		}
		fmt.Fprintf(nc, "%s OK done\r\n", tag)
	}
}

// TestMailboxesWithoutEnd: a search of some of them would miss messages in silence.
func TestMailboxesWithoutEnd(t *testing.T) {
	list, err := searchOrder(func(yield func(listed, error) bool) {
		for i := 0; i < 2*maxMailboxes && yield(listed{name: "x"}, nil); i++ {
		}
	})
	if fetch.KindOf(err) != fetch.ErrLimit {
		t.Errorf("got %d mailboxes, %v, want kind %s", len(list), err, fetch.ErrLimit)
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
		addr := answering(t, func(w io.Writer, _, line string) bool {
			switch {
			case strings.HasPrefix(line, "LIST"):
				fmt.Fprint(w, "* LIST () \"/\" INBOX\r\n")
			case strings.HasPrefix(line, "UID SEARCH"):
				fmt.Fprint(w, tt.reply)
			}
			return true
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
