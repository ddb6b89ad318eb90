package mail

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/uri"
)

// answering starts a server that greets clients as an IMAP server does, and calls answer for each of their lines. It returns its address.
func answering(t *testing.T, answer func(w io.Writer, tag, line string)) string {
	t.Helper()
	s, err := loopback.Listen("", func(nc net.Conn) {
		fmt.Fprint(nc, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
		for in := bufio.NewScanner(nc); in.Scan(); {
			tag, line, _ := strings.Cut(in.Text(), " ")
			answer(nc, tag, line)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Addr()
}

// A response that does not end where the library looks for its end must not block the request forever (promise 5): the library went on
// reading for a "]" or a quote after the tagged line, although the server sent nothing more.
func TestPromise5RepliesWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads long replies")
	}
	for _, reply := range []string{"%s NO [OOPS not you\r\n", "* X \"abc\r\n%s OK done\r\n", "%s OK [CAPABILITY \"x\r\n", "%s OK [X",
		"* OK [ALERT x\r\n%s OK\r\n", "* LIST () \"/\" {500} \r\n%s OK done\r\n"} {
		addr := answering(t, func(w io.Writer, tag, line string) {
			if strings.HasPrefix(line, "CAPABILITY") {
				fmt.Fprintf(w, "* CAPABILITY IMAP4rev1\r\n%s OK done\r\n", tag)
				return
			}
			fmt.Fprintf(w, reply, tag)
		})
		c := fetch.New(Schemes(nil)...)
		c.Timeouts = fetch.Timeouts{Idle: 300 * time.Millisecond, Total: 2 * time.Second}
		start := time.Now()
		d, err := c.Get(t.Context(), uri.MustParse("imap://ann:pw@"+addr+"/INBOX/;UID=1"), nil)
		if err == nil {
			d.Body.Close()
			t.Errorf("%q: got a document, want an error", reply)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: took %s, want at most 10 s", reply, took)
		}
		c.Close()
	}
}
