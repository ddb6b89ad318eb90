package render

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func ann() fetch.Entry {
	return fetch.Entry{Kind: fetch.KindEntry, Size: -1, Title: "cn=Ann Lee,c=CH", URI: uri.MustParse("ldap://h/cn=Ann%20Lee,c=CH"),
		Attr: map[string][]string{
			"sn": {"Lee"}, "objectClass": {"top", "person"}, "jpegPhoto": {"\xff\xd8"}, "cn": {"Ann Lee", "Änn"}, "bad\nname: x": {"y"},
		}}
}

func TestLDIF(t *testing.T) {
	e := ann()
	ref := fetch.Entry{Kind: fetch.KindLink, Size: -1, Title: "ldap://other/c=US\ndn: x", URI: uri.MustParse("ldap://other/c=US")}
	got := view(t, listing(e, ref), LDIF, nil)
	want := "version: 1\n\ndn: cn=Ann Lee,c=CH\nobjectClass: top\nobjectClass: person\ncn: Ann Lee\ncn:: w4Rubg==\njpegPhoto:: /9g=\n" +
		"sn: Lee\n\n# ref: ldap://other/c=US"
	if !strings.HasPrefix(got, want) || strings.Count(got, "\ndn:") != 1 {
		t.Errorf("got %q, want %q and no other record", got, want)
	}
	e.Order = []string{"sn", "cn", "bad\nname: x", "objectClass", "jpegPhoto"}
	want = "version: 1\n\ndn: cn=Ann Lee,c=CH\nsn: Lee\ncn: Ann Lee\ncn:: w4Rubg==\nobjectClass: top\nobjectClass: person\njpegPhoto:: /9g=\n"
	if got := view(t, listing(e), LDIF, nil); got != want {
		t.Errorf("in the server's order: got %q, want %q", got, want)
	}
	for name, d := range map[string]*fetch.Document{"menu": menu(), "text": document("text/plain", "x")} {
		if err := View(io.Discard, d, LDIF, nil); !errors.Is(err, fetch.ErrUnsupported) {
			t.Errorf("a %s: got %v, want unsupported", name, err)
		}
	}
}

func TestLDIFValues(t *testing.T) {
	for value, want := range map[string]string{ // RFC 2849 section 3, notes 4 and 8
		"":                       "a:\n",
		"x":                      "a: x\n",
		" x":                     "a:: IHg=\n",
		"x ":                     "a:: eCA=\n",
		":x":                     "a:: Ong=\n",
		"<x":                     "a:: PHg=\n",
		"x:<":                    "a: x:<\n",
		"é":                      "a:: w6k=\n",
		"x\n":                    "a:: eAo=\n",
		"\x1b[2J":                "a:: G1sySg==\n",
		strings.Repeat("x", 73):  "a: " + strings.Repeat("x", 73) + "\n",
		strings.Repeat("x", 74):  "a: " + strings.Repeat("x", 73) + "\n x\n",
		strings.Repeat("x", 149): "a: " + strings.Repeat("x", 73) + "\n " + strings.Repeat("x", 75) + "\n x\n",
	} {
		e := fetch.Entry{Kind: fetch.KindEntry, URI: uri.MustParse("ldap://h/o=x"), Attr: map[string][]string{"a": {value}}}
		if got := strings.TrimPrefix(view(t, listing(e), LDIF, nil), "version: 1\n\ndn: o=x\n"); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// FuzzLDIF: unfolding and decoding the record restores the entry.
func FuzzLDIF(f *testing.F) {
	f.Add("cn=Ann,c=CH", "a\r\ndn: b")
	f.Add("", " x:<\x00")
	f.Fuzz(func(t *testing.T, dn, value string) {
		u, err := uri.Parse("ldap://h/" + string(uri.Segment.Escape(uri.RFC3986, dn)))
		if err != nil {
			return
		}
		text := view(t, listing(fetch.Entry{Kind: fetch.KindEntry, URI: u, Attr: map[string][]string{"a": {value}}}), LDIF, nil)
		for line := range strings.Lines(text) {
			if len(line) > ldifWidth+1 {
				t.Fatalf("got the line %q, want at most %d bytes", line, ldifWidth)
			}
		}
		lines := strings.Split(strings.ReplaceAll(text, "\n ", ""), "\n")
		if len(lines) != 5 || lines[0] != "version: 1" || unLDIF(t, lines[2], "dn") != dn || unLDIF(t, lines[3], "a") != value {
			t.Fatalf("got %q, want one record of %q and %q", text, dn, value)
		}
	})
}

func unLDIF(t *testing.T, line, name string) string {
	rest, ok := strings.CutPrefix(line, name+":")
	if !ok {
		t.Fatalf("got the line %q, want one of %s", line, name)
	}
	if coded, ok := strings.CutPrefix(rest, ": "); ok {
		b, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return strings.TrimPrefix(rest, " ")
}

// A value in a charset that is guessed is shown, with a link to its bytes.
func TestDirectoryInLatin1(t *testing.T) {
	e := ann()
	e.Attr = map[string][]string{"l": {"Genève", "Gen\xe8ve", "caf\xe9"}}
	const value = "ldap://h/cn=Ann%20Lee,c=CH?l???x-value="
	want := "  [1] cn=Ann Lee,c=CH\n        l: Genève\n        l: Genève <" + value + "2>\n        l: café <" + value + "3>\n"
	if got := view(t, listing(e), Text, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `<dd>Genève</dd>` + "\n" + `<dd><a href="` + value + `2">Genève</a></dd>` + "\n" + `<dd><a href="` + value + `3">café</a></dd>`
	wantAll(t, view(t, listing(e), HTML, nil), want)
}

// The root names the trees of a server; each is a link to its entries.
func TestRootLinksToItsTrees(t *testing.T) {
	e := ann()
	e.URI, e.Attr = uri.MustParse("ldap://h/"), map[string][]string{"namingContexts": {"o=a b?"}}
	const want = `<dd><a href="ldap://h/o=a%20b%3F??one">o=a b?</a></dd>`
	wantAll(t, view(t, listing(e), HTML, nil), want)
}

func TestDirectoryForPeople(t *testing.T) {
	const value = "ldap://h/cn=Ann%20Lee,c=CH?jpegPhoto???x-value=1"
	for format, want := range map[Format]string{
		Text: "        jpegPhoto: 2 bytes <" + value + ">\n        sn: Lee\n",
		HTML: `<dt>jpegPhoto</dt><dd><a href="` + value + `">2 bytes</a></dd>`,
	} {
		wantAll(t, view(t, listing(ann()), format, nil), want)
	}
}
