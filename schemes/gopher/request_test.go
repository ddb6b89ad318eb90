package gopher

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestCorpus(t *testing.T) {
	if n := schemetest.Rows(t, Schemes()...); n < 20 {
		t.Errorf("got %d rows, want at least 20", n)
	}
}

// TestPage checks that the table of outcomes is documented.
func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Schemes()...) }

func FuzzURI(f *testing.F) {
	fetchtest.Fuzz(f, []string{
		"gopher://h/7find?a+b", "gopher://h/0sel%09%09+text/html", "gophers://h:7070/hURL:http://x/", "gopher://h/8user",
		"gopher://h/0f%09%09+%091%0D%0A+-1%0D%0Aanswer%0D%0A.%0D%0A", "gopher://h", "gopher://h?x", "gopher://[::1]/1",
	}, Schemes()...)
}

// TestRequests checks URIs that are not in the corpus: today's syntax, and Gopher+.
func TestRequests(t *testing.T) {
	for _, tt := range []struct{ in, request string }{
		{"gopher://h", "\r\n"},
		{"gopher://h/0/a?b", "/a?b\r\n"}, // ends only the selector of an item that can be searched
		{"gopher://h/7/a?b+c%2Bd", "/a\tb c+d\r\n"},
		{"gopher://h/7/a%09b?c", "/a\tb?c\r\n"}, // the words are before it
		{"gopher://h/7/a?", "/a\t\r\n"},
		{"gopher://h?x", "?x\r\n"},
		{"gopher://h/0/../a/./b//c", "/../a/./b//c\r\n"}, // not a path
		{"gopher://h/0a%2520b", "a%20b\r\n"},
		{"gopher://h/0caf%E9#040", "caf\xe9\r\n"},
		{"gopher://h/0caf%E9%23040", "caf\xe9#040\r\n"}, // gophernicus decodes its own escapes
		{"gopher://h/%30x", "x\r\n"},
		{"gopher://h/0x%09+", "x\t+\r\n"},
		{"gopher://h/0x%09!", "x\t!\r\n"},
		{"gopher://h/7x%09+", "x\t+\r\n"},
	} {
		r, err := parse(uri.MustParse(tt.in), uri.RFC3986)
		if err != nil || string(r.Request) != tt.request {
			t.Errorf("%s: got %q, %v, want %q", tt.in, r.Request, err, tt.request)
		}
	}
}

func TestPlans(t *testing.T) {
	accept := func(a ...string) fetch.Options { return fetch.Options{Accept: a} }
	data := func(a ...string) fetch.Options { return fetch.Options{Set: map[string][]string{dataKey: a}} }
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "gopher://h/0/a.gmi", Want: "tcp h:70 none document text/gemini\n/a.gmi"},
		{URI: "gopher://h/0/a%20b.txt", Want: "tcp h:70 none document text/plain\n/a b.txt"},
		{URI: "gophers://h:7070/1/", Want: "tcp h:7070 implicit listing application/gopher-menu\n/"},
		{URI: "gopher://[::1]/7/find?big+dog", Want: "tcp [::1]:70 none search application/gopher-menu\n/find\tbig dog"},
		{URI: "gopher://h/7/find", Options: fetch.Options{Search: []string{"big", "dog"}},
			Want: "tcp h:70 none search application/gopher-menu\n/find\tbig dog"},
		{URI: "gopher://h/I/a.png", Want: "tcp h:70 none document image/png\n/a.png"},
		{URI: "gopher://h/I/a.txt", Want: "tcp h:70 none document\n/a.txt"}, // the suffix is not that of an image
		{URI: "gopher://h/9/a.pdf", Want: "tcp h:70 none document application/pdf\n/a.pdf"},
		{URI: "gopher://h/hURL:http://www.example/a?b", Want: "referral\n-> http://www.example/a?b (the selector is a URI)"},
		{URI: "gopher://h:80/hGET%20/a/b", Want: "referral\n-> http://h/a/b (the selector is a line of HTTP)"},
		{URI: "gopher://h:23/8guest", Want: "referral\n-> telnet://guest@h/ (the item is a session of another protocol)"},
		{URI: "gopher://h:2323/T", Want: "referral\n-> tn3270://h:2323/ (the item is a session of another protocol)"},
		{URI: "gopher://h:105/2", Want: "referral\n-> cso://h/ (the item is a session of another protocol)"},
		{URI: "gopher://h/0a", Options: accept("*/*", "text/html"), Want: "tcp h:70 none document text/plain\na"},
		{URI: "gopher://h/0a", Options: accept("text/html"), Want: "tcp h:70 none document text/plain\na\t!\n" +
			"a\t+<view> {if one of the item's views is wanted}\na {if no view is wanted, or the server does not speak Gopher+}"},
		{URI: "gopher://h/0a%09%09+text/plain", Options: accept("text/html"), Want: "tcp h:70 none document text/plain\na\t\t+text/plain"},
		{URI: "gopher://h/0f.ask", Options: data("Joe", "two\nlines", ".dot", "one\n"), Want: "tcp h:70 none document text/plain\nf.ask\t+\t1 " +
			"\"+-1\\r\\nJoe\\r\\n2\\r\\ntwo\\r\\nlines\\r\\n..dot\\r\\n1\\r\\none\\r\\n.\\r\\n\""},
		{URI: "gopher://h/0f%09%09+%091%0D%0A+-1%0D%0AJoe%0D%0A.%0D%0A",
			Want: "tcp h:70 none document text/plain\nf\t\t+\t1 \"+-1\\r\\nJoe\\r\\n.\\r\\n\""},
		{URI: "gopher://h/0f%09%09+%091%0D%0A+5%0D%0AJoe%0D%0A", Want: "tcp h:70 none document text/plain\nf\t\t+\t1 \"+5\\r\\nJoe\\r\\n\""},
		{URI: "gopher://h/0a", Options: fetch.Options{Op: fetch.Metadata}, Want: "tcp h:70 none document text/plain\na\t!"},

		// A line end outside the well-formed answers to a form would be a second command.
		{URI: "gopher://h/0f%09%09+%0D%0AEVIL", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%09%09+%091%0D%0AEVIL", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%09%09+%091%0D%0A+-1%0D%0AJoe%0D%0A.%0D%0AEVIL%0D%0A.%0D%0A", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%09%09+%091%0D%0A+-1%0D%0AJoe%0AEVIL%0D%0A.%0D%0A", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%09%09+%091%0D%0A+3%0D%0AJoe%0D%0AEVIL", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%09%09+%091%0D%0A+-2%0D%0AEVIL", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%0D%0A%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f", Options: data("a\r\nb"), Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f%09%09!", Options: data("a"), Kind: fetch.ErrRefusedURL},
		{URI: "gopher:///0f", Kind: fetch.ErrRefusedURL},
		{URI: "gopher:f", Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/7f", Options: fetch.Options{Search: []string{"a\tb"}}, Kind: fetch.ErrRefusedURL},
		{URI: "gopher://h/0f", Options: fetch.Options{Search: []string{"a"}}, Kind: fetch.ErrUnsupported},
		{URI: "gopher://h/0f", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "gopher://h/0f", Options: fetch.Options{Range: fetch.Range{To: 5}}, Kind: fetch.ErrRange},
		{URI: "gopher://h:25/0HELO", Kind: fetch.ErrRefusedPort},
	}, Schemes()...)
}

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
