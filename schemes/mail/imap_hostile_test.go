package mail

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

// serveHostile serves IMAP, and sends words before the tagged response to the command verb. "%s" in them is the tag.
func serveHostile(c net.Conn, verb, words string) {
	fmt.Fprint(c, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
	in := bufio.NewScanner(c)
	for in.Scan() {
		tag, command, _ := strings.Cut(in.Text(), " ")
		if strings.HasPrefix(command, verb) {
			io.WriteString(c, strings.ReplaceAll(words, "%s", tag))
		}
		switch {
		case strings.HasPrefix(command, "CAPABILITY"):
			fmt.Fprint(c, "* CAPABILITY IMAP4rev1\r\n")
		case strings.HasPrefix(command, "EXAMINE"):
			fmt.Fprint(c, "* 5 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n")
		}
		fmt.Fprintf(c, "%s OK done\r\n", tag)
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
				c.Dialer = schemetest.Dialer(func(c net.Conn) { serveHostile(c, tt.verb, tt.words) })
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
			served.Go(func() { defer theirs.Close(); serveHostile(theirs, verb, words) })
			return ours, nil
		}
		if d, err := c.Get(t.Context(), u, nil); err == nil {
			io.Copy(io.Discard, io.LimitReader(d.Body, 1<<20))
			d.Body.Close()
		}
	})
}
