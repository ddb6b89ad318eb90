package render

import (
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
)

func named(titles ...string) *fetch.Document {
	list := []fetch.Entry{}
	for i, title := range titles {
		list = append(list, fetch.Entry{Kind: fetch.KindFile, URI: uri.MustParse(fmt.Sprintf("gopher://h/0/%d", i)), Title: title, Size: -1})
	}
	return listing(list...)
}

func in(t *testing.T, label, text string) string {
	t.Helper()
	s, err := charset.Lookup(label).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One guess is made for all names of a listing. Those that it does not fit are decoded by themselves.
func TestCharsetOfListings(t *testing.T) {
	russian := []string{"About", "О сервере", "Файлы", "Ёж", "Рёв", "Новости"}
	for _, c := range []struct {
		titles      []string
		want, found string
	}{
		{[]string{"a", "b"}, "  [1] a\n  [2] b\n", ""},
		{[]string{"a", "ä"}, "  [1] a\n  [2] ä\n", "utf-8 guess"},
		{encodedAll(t, "koi8-r", russian), numberedAll(russian), "koi8-r guess"},
		{encodedAll(t, "windows-1251", russian), numberedAll(russian), "windows-1251 guess"}, // Рё is valid UTF-8
		{encodedAll(t, "ibm866", russian), numberedAll(russian), "ibm866 guess"},
		{encodedAll(t, "iso-2022-jp", []string{"ascii", "日本語", "お知らせ"}), numberedAll([]string{"ascii", "日本語", "お知らせ"}), "iso-2022-jp guess"},
		{append(encodedAll(t, "koi8-r", russian), "Grüße aus Köln, наш"), numberedAll(append(russian, "Grüße aus Köln, наш")), "koi8-r guess"},
		{[]string{"Привет всем", "Ещё текст здесь", "caf\xe9"}, numberedAll([]string{"Привет всем", "Ещё текст здесь", "café"}), "utf-8 guess"},
		{[]string{"Gr\xfc\xdfe", "Grüße"}, numberedAll([]string{"Grüße", "Grüße"}), "utf-8 guess"},
		{append(encodedAll(t, "koi8-r", russian), "Grüße", "M\xfcnchen", "日本"), numberedAll(append(russian, "Grüße", "München", "日本")), "koi8-r guess"},
		{[]string{"日本", "東京 caf\xe9", "Ein Schlo\xdf"}, numberedAll([]string{"日本", "東京 caf\\xe9", "Ein Schloß"}), "utf-8 guess"},
		{encodedAll(t, "ibm437", []string{"┌──────┐", "│ Menu │", "└──────┘"}), numberedAll([]string{"┌──────┐", "│ Menu │", "└──────┘"}), "ibm437 guess"},
	} {
		found := ""
		o := &Options{Charset: func(label string, how charset.How) { found += label + " " + string(how) }}
		if got := view(t, named(c.titles...), Text, o); got != c.want || found != c.found {
			t.Errorf("got %q by %q, want %q by %q", got, found, c.want, c.found)
		}
	}
}

func encodedAll(t *testing.T, label string, titles []string) (out []string) {
	for _, s := range titles {
		out = append(out, in(t, label, s))
	}
	return out
}

func numberedAll(titles []string) string {
	var b strings.Builder
	for i, s := range titles {
		fmt.Fprintf(&b, "%5s %s\n", fmt.Sprintf("[%d]", i+1), s)
	}
	return b.String()
}

// A long listing is shown before its end, and its charset is that of its beginning.
func TestLongListing(t *testing.T) {
	shown := 0
	d := named()
	name := in(t, "koi8-r", "Документ")
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		for i := range 10_000 {
			if i == guessEntries+1 && shown == 0 {
				t.Errorf("got nothing after %d entries, want them", i)
			}
			if !yield(fetch.Entry{Title: name, Kind: fetch.KindText, Size: -1}, nil) {
				return
			}
		}
	}
	for e, err := range readable(d, &Options{}) {
		if shown++; e.Title != "Документ" || err != nil {
			t.Fatalf("entry %d: got %q, %v, want %q", shown, e.Title, err, "Документ")
		}
	}
	if shown != 10_000 {
		t.Errorf("got %d entries, want 10000", shown)
	}
}

// Values of directories may be bytes, which are not guessed.
func TestCharsetOfValues(t *testing.T) {
	photo := "\xff\xd8\xff\xe0"
	d := listing(fetch.Entry{Kind: fetch.KindEntry, Title: "cn=Иван", URI: uri.MustParse("ldap://h/cn"), Size: -1, Attr: map[string][]string{"photo": {photo}}})
	for e := range readable(d, &Options{}) {
		if e.Attr["photo"][0] != photo {
			t.Errorf("got %q, want %q", e.Attr["photo"], photo)
		}
	}
}

func TestExamine(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"text/plain", "plain", ""},
		{"text/plain", in(t, "koi8-r", "Это текст по-русски"), "koi8-r guess"},
		{"text/html", "<meta charset=koi8-r>", "koi8-r declaration"},
		{"text/plain; charset=big5", "", "big5 media type"},
		{"image/gif", "\xff\xfe", ""},
	} {
		d := document(c.kind, c.text)
		found := Examine(d)
		if got := view(t, d, Raw, nil); got != c.text {
			t.Errorf("%s: got %q, want the same bytes, %q", c.kind, got, c.text)
		}
		label, how := found()
		if got := strings.TrimSpace(label + " " + string(how)); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}
