package gopher

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestCorpus(t *testing.T) {
	if n := schemetest.Rows(t, Schemes()...); n < 20 {
		t.Errorf("got %d rows, want at least 20", n)
	}
}

// TestPage checks that the table of outcomes is documented.
func TestPage(t *testing.T) { schemetest.Page(t, outcomes(), Schemes()...) }

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
