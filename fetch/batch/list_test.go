package batch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

func read(s string) (got []string) {
	for it, err := range batch.List(strings.NewReader(s), &batch.ListOptions{Base: uri.MustParse("http://base/dir/")}) {
		switch {
		case err != nil:
			got = append(got, "error "+string(fetch.KindOf(err)))
		default:
			l := it.URI.String()
			if it.Name != "" {
				l += " name=" + it.Name
			}
			if !it.Range.IsZero() {
				l += fmt.Sprint(" range=", it.Range)
			}
			if it.Search != nil {
				l += fmt.Sprintf(" search=%q", it.Search)
			}
			if it.Check != nil {
				l += " " + it.Check.Digests[0].String()
			}
			for k, v := range it.Set {
				l += " " + k + ":" + v
			}
			got = append(got, l)
		}
	}
	return got
}

func TestList(t *testing.T) {
	digits := strings.Repeat("0f", 32)
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"http://h/a\nftp://h/b\n", "http://h/a|ftp://h/b"},
		{"http://h/a", "http://h/a"},                                                         // no line end
		{"# urls of today\r\nhttp://h/a\r\n\r\n\thttp://h/b  \r\n", "http://h/a|http://h/b"}, // RFC 2483 section 5
		{"\xef\xbb\xbfhttp://h/a\n", "http://h/a"},                                           // QUIRK: Windows editors
		{"../x\n", "http://base/x"},
		{"\f name=x\n", "error refused-url"}, // other white space is not an empty reference
		{"http://h/a \tname=x\n", "http://h/a name=x"},
		{"http://h/%zz\nhttp://h/b\n", "error refused-url|http://h/b"},
		{"http://h/a name=x.txt range=0-99\n", "http://h/a name=x.txt range={0 100}"},
		{"http://h/a\tname=my file.txt\tsearch=two words\n", `http://h/a name=my file.txt search=["two" "words"]`},
		{"ftp://h/a ftp.type=a\n", "ftp://h/a ftp.type:a"},
		{"http://h/a checksum=sha256:" + digits + "\n", "http://h/a sha-256:" + digits},
		{`{"uri":"http://h/a","checksum":"SHA256:` + digits + `"}`, "http://h/a sha-256:" + digits},
		{"http://h/a checksum=" + digits + "\nhttp://h/b checksum=md5:" + digits[:32] + "\n", "error refused-url|error refused-url"},
		{"http://h/a color=red\n", "error refused-url"},
		{"http://h/a red\n", "error refused-url"},
		{"http://h/a range=9-1\n", "error refused-url"},
		{"http://h/a range=-500\nhttp://h/b range=7-\n", "http://h/a range={-500 0}|http://h/b range={7 0}"},
		{`{"uri":"http://h/a","title":"A","size":12,"attr":{"x":["y"]}}` + "\n", "http://h/a"},
		{`{"uri":null,"title":"only text"}` + "\n" + `{"title":"none"}` + "\n", ""},
		{`{"uri":"http://h/a","name":"x","range":"1-2","search":"a b","set":{"ftp.type":"i"}}`,
			`http://h/a name=x range={1 3} search=["a" "b"] ftp.type:i`},
		{`{"uri":"http://h/a","scheme":"http","search":"http://h/s"}`, "http://h/a"}, // a report of deref: its search is a URI
		{"{not json}\nhttp://h/a\n", "error refused-url|http://h/a"},
		{"http://h/" + strings.Repeat("x", uri.MaxLen) + "\nhttp://h/a\n", "error refused-url|http://h/a"},
		{strings.Repeat("x", uri.MaxLen+200_000) + "\nhttp://h/a\n", "error limit|http://h/a"},
	} {
		if got := strings.Join(read(test.in), "|"); got != test.want {
			t.Errorf("%.60q\n got %s\nwant %s", test.in, got, test.want)
		}
	}
}

// FuzzList: no list makes it panic, each line yields at most one item, and an item written in TAB form is parsed to the same.
func FuzzList(f *testing.F) {
	for _, s := range []string{"http://h/a\n#\n", "{\"uri\":\"x:y\"}\n", "a\tname=b\trange=1-2\n", "x search=\n", "\xef\xbb\xbf\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := 0
		for it, err := range batch.List(strings.NewReader(s), nil) {
			n++
			if err != nil || it.Range.IsZero() && it.Name == "" {
				continue
			}
			if strings.ContainsAny(it.Name, "\t\r\n") || it.Name != strings.TrimSpace(it.Name) || it.Name == "" {
				continue
			}
			line := it.URI.String() + "\tname=" + it.Name
			for again, err := range batch.List(strings.NewReader(line), nil) {
				if err != nil || again.URI.String() != it.URI.String() || again.Name != it.Name {
					t.Fatalf("%q: got %v %q, %v; want the same item", line, again.URI, again.Name, err)
				}
			}
		}
		if lines := strings.Count(s, "\n") + 1; n > lines {
			t.Fatalf("got %d items, want at most %d", n, lines)
		}
	})
}

// Raw bytes of Latin-1, Shift_JIS and KOI8-R are escaped, and text becomes UTF-8.
func TestListOfBytes(t *testing.T) {
	const list = "http://h/caf\xe9\nhttp://h/\x93\xfa\x96{ name=x\nhttp://h/\xcd\xc9\xd2\n" +
		"http://мир/мир\n{\"uri\": \"http://h/мир\"}\n{\"uri\": \"http://h/\xcd\"}\n"
	var got []string
	for it, err := range batch.List(strings.NewReader(list), nil) {
		if err != nil {
			got = append(got, err.Error())
		} else {
			got = append(got, it.URI.String())
		}
	}
	want := []string{"http://h/caf%E9", "http://h/%93%FA%96%7B", "http://h/%CD%C9%D2", "http://xn--h1ahn/%D0%BC%D0%B8%D1%80",
		"http://h/%D0%BC%D0%B8%D1%80",
		"line 6 of the list: JSON that is not UTF-8"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
