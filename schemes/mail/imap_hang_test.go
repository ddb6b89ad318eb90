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
	"example.org/deref/uri"
)

// answering greets one client as an IMAP server does, and calls answer for each of its lines. end waits until the client has
// disconnected.
func answering(t *testing.T, answer func(w io.Writer, tag, line string)) (addr string, end func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		nc, err := ln.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		fmt.Fprint(nc, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
		for in := bufio.NewScanner(nc); in.Scan(); {
			tag, line, _ := strings.Cut(in.Text(), " ")
			answer(nc, tag, line)
		}
	}()
	return ln.Addr().String(), func() { ln.Close(); <-done }
}

// A response that does not end where the library looks for its end must not block the request for ever (promise 5): the library went on
// reading for a "]" or a quote after the tagged line, although nothing more was to come.
func TestPromise5RepliesWithoutEnd(t *testing.T) {
	for _, reply := range []string{"%s NO [OOPS not you\r\n", "* X \"abc\r\n%s OK done\r\n", "%s OK [CAPABILITY \"x\r\n", "%s OK [X",
		"* OK [ALERT x\r\n%s OK\r\n", "* LIST () \"/\" {500} \r\n%s OK done\r\n"} {
		addr, end := answering(t, func(w io.Writer, tag, line string) {
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
		end()
	}
}
