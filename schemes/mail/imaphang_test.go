package mail

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A reply whose end is not where the library looks for it does not hold up the request for ever (promise 5): the library went on reading
// for a "]" or a quote behind the tagged line, when nothing more was to come.
func TestPromise5RepliesWithoutEnd(t *testing.T) {
	for _, reply := range []string{"%s NO [OOPS not you\r\n", "* X \"abc\r\n%s OK done\r\n", "%s OK [CAPABILITY \"x\r\n", "%s OK [X", "* OK [ALERT x\r\n%s OK\r\n", "* LIST () \"/\" {500} \r\n%s OK done\r\n"} {
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
			in := bufio.NewScanner(nc)
			for in.Scan() {
				tag, _, _ := strings.Cut(in.Text(), " ")
				if strings.Contains(in.Text(), "CAPABILITY") {
					fmt.Fprintf(nc, "* CAPABILITY IMAP4rev1\r\n%s OK done\r\n", tag)
					continue
				}
				fmt.Fprintf(nc, reply, tag)
			}
		}()
		c := fetch.New(Schemes(nil)...)
		c.Timeouts = fetch.Timeouts{Idle: 300 * time.Millisecond, Total: 2 * time.Second}
		start := time.Now()
		d, err := c.Get(t.Context(), uri.MustParse("imap://ann:pw@"+ln.Addr().String()+"/INBOX/;UID=1"), nil)
		if err == nil {
			d.Body.Close()
			t.Errorf("%q: no error", reply)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q took %s", reply, took)
		}
		c.Close()
		ln.Close()
		<-done
	}
}
