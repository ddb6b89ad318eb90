package gopher

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/uri"
)

// TestPromise3ViewsOfServers checks that a view is ignored, and not sent back to the server, if its type or language contains a character
// that ends a field or the line.
func TestPromise3ViewsOfServers(t *testing.T) {
	for _, bad := range []string{"\r", "\x00", "\t", "\t+text/html", "\x01", "\x7f", "\r\nQUIT"} {
		for _, line := range []string{"text/plain" + bad + "x: <1k>", "text/plain En" + bad + "x: <1k>"} {
			var said []string
			s, err := loopback.Listen("127.0.0.1:0", func(c net.Conn) {
				defer c.Close()
				b := make([]byte, 1000)
				n, _ := c.Read(b)
				said = append(said, string(b[:n]))
				if strings.HasSuffix(said[len(said)-1], "\t!\r\n") {
					c.Write([]byte("+-1\r\n+INFO: 0s\ts\t127.0.0.1\t70\t+\r\n+VIEWS:\r\n " + line + "\r\n.\r\n"))
					return
				}
				c.Write([]byte("text\r\n"))
			})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = get(t, "gopher://"+s.Addr()+"/0s", &fetch.Options{Accept: []string{"text/plain"}})
			s.Close()
			good := []string{"s\r\n", "s\t+text/plain\r\n", "s\t+text/plain En\r\n"}
			if err != nil || len(said) != 2 || said[0] != "s\t!\r\n" || !slices.Contains(good, said[1]) {
				t.Errorf("%q: got %v after %q, want the document itself", line, err, said)
			}
		}
	}
}

// TestPromise3FormsOfOthers checks that answers to a form in a URI are sent only for the user, and not for a link or referral, because they
// are sent as lines to a server that may use any protocol.
func TestPromise3FormsOfOthers(t *testing.T) {
	form := uri.MustParse("gopher://127.0.0.1:7070/0f%09%09+%091%0D%0A+-1%0D%0Aanswer%0D%0A.%0D%0A")
	c := client()
	if _, err := c.Plan(form, nil); err != nil {
		t.Errorf("the user's URI: got %v, want a plan", err)
	}
	from := uri.MustParse("gopher://h/1")
	if err := c.CheckReferral(from, fetch.Referral{URI: form}); !errors.Is(err, fetch.ErrRedirect) {
		t.Errorf("a referral: got %v, want %s", err, fetch.ErrRedirect)
	}
	if err := c.CheckLink(from, form); !errors.Is(err, fetch.ErrRedirect) {
		t.Errorf("a link: got %v, want %s", err, fetch.ErrRedirect)
	}
	c.Policy.FollowTo = []string{"gopher"}
	if err := c.CheckReferral(from, fetch.Referral{URI: form}); !errors.Is(err, fetch.ErrRedirect) {
		t.Errorf("with --follow-to gopher: got %v, want %s", err, fetch.ErrRedirect)
	}
	if _, err := c.Plan(uri.MustParse("gopher://h/0a%09b%09+%090%09c"), nil); !errors.Is(err, fetch.ErrRefusedURL) {
		t.Errorf("five fields: got %v, want %s", err, fetch.ErrRefusedURL)
	}
}

// TestPromise3FormsInLinks checks that a program that checks the links of a document sends no answers either.
func TestPromise3FormsInLinks(t *testing.T) {
	_, err := client().Plan(uri.MustParse("gopher://h/0f%09%09+%091%0D%0A+-1%0D%0Aanswer%0D%0A.%0D%0A"), &fetch.Options{Foreign: true})
	if !errors.Is(err, fetch.ErrUnsupported) {
		t.Errorf("got %v, want %s", err, fetch.ErrUnsupported)
	}
}
