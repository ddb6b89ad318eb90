package mail

import (
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
