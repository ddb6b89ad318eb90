package mail

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/uri"
)

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
		{"few", "* SEARCH" + descending(1000, " ") + "\r\n", fetch.ErrNotFound},
		{"one line", "* SEARCH" + descending(100000, " ") + "\r\n", fetch.ErrLimit},
		{"a line each", descending(60000, "\r\n* SEARCH ")[2:] + "\r\n", fetch.ErrLimit},
		{"lower case", "* search" + descending(100000, " ") + "\r\n", fetch.ErrLimit},
		{"a code", "* OK [COPYUID 1 " + descending(100000, ",")[1:] + " 1] x\r\n", fetch.ErrLimit},
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
