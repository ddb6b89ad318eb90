package news

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// A message-id in the query of an archive's URI is one value there.
func TestPromise3ArchiveQueries(t *testing.T) {
	id := fetch.Octets("a&x=1#f;+?/%b@h")
	r := &run{request: &request{newsURI: newsURI{MessageID: &id}}}
	for template, want := range map[string]string{
		"http://a.example/s?id={id}&n=1": "http://a.example/s?id=a%26x%3D1%23f%3B%2B%3F%2F%25b%40h&n=1",
		"http://a.example/{id}/{id}":     "http://a.example/a&x=1%23f;+%3F%2F%25b@h/a&x=1%23f;+%3F%2F%25b@h",
		"http://a.example/{id}?{id}":     "http://a.example/a&x=1%23f;+%3F%2F%25b@h?a%26x%3D1%23f%3B%2B%3F%2F%25b%40h",
	} {
		if got, ok := r.archiveURI(Archive{Groups: "*", URI: template}); !ok || got.String() != want {
			t.Errorf("%s: got %s, %v, want %s", template, got, ok, want)
		}
	}
}

// A posted article contains no CR or LF alone, and none of its lines ends it.
func TestPromise3LinesOfArticles(t *testing.T) {
	var b bytes.Buffer
	w := lineproto.NewDotWriter(&b)
	if _, err := io.Copy(lineproto.NewTextWriter(w), strings.NewReader("a\r.\rPOST\r\n.\nb")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if got, want := b.String(), "a\r\n..\r\nPOST\r\n..\r\nb\r\n.\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, head := range []string{"Subject: a\rControl: cancel <x@y>\r\n\r\n", "Subject: a\x00\n\n", "A: b\r\n c\rd\r\n\r\n", " a\nA: b\n\n"} {
		if got, err := maildoc.ReadFields(bufio.NewReader(strings.NewReader(head)), 1000); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%q: got %q, %v, want %s", head, got, err, fetch.ErrLocal)
		}
	}
}

// The arguments of a command are words (RFC 3977 section 9.2): a blank would begin another argument.
func TestPromise3WordsOfNews(t *testing.T) {
	for _, bad := range []string{"a b", "a\tb", "", "a\x01", "a\x7f"} {
		if err := grammar(&fetch.Step{Verb: "GROUP", Args: []string{bad}}); err == nil {
			t.Errorf("GROUP %q: got no error, want one", bad)
		}
	}
	for _, good := range []fetch.Step{{Verb: "GROUP", Args: []string{"a.b"}}, {Verb: "AUTHINFO PASS", Args: []string{"two words"}},
		{Verb: "look", Args: []string{"mbox:My Mail"}}, {Verb: "CAPABILITIES"}} {
		if err := grammar(&good); err != nil {
			t.Errorf("%q: got %v, want none", good.Line(), err)
		}
	}
	for _, bad := range []string{"%00", "%0D", "%0A"} {
		c := fetch.New(Schemes(nil)...)
		if _, err := c.Plan(uri.MustParse("news://a"+bad+"b:p@h.example/g.h"), nil); !errors.Is(err, fetch.ErrRefusedURL) {
			t.Errorf("%s in a user: got %v, want %s", bad, err, fetch.ErrRefusedURL)
		}
	}
}
