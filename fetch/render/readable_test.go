package render

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
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
	const entries = 2 * guessEntries
	shown := 0
	d := named()
	name := in(t, "koi8-r", "Документ")
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		for i := range entries {
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
	if shown != entries {
		t.Errorf("got %d entries, want %d", shown, entries)
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

// The links of a page in another encoding are the same in each view, for the copy in a frame, in a message, and for its BASE and its
// search.
func TestLinksOfOtherEncodings(t *testing.T) {
	const path, query = "http://h/d/%D0%BC%D0%B8%D1%80", "http://h/d/q?%CD%C9%D2"
	const page = "<base href='../d/\xcd/..//'><a href=\xcd\xc9\xd2>a</a><a href='q?\xcd\xc9\xd2'>b</a>"
	var links []string
	for e, err := range Links(document("text/html; charset=koi8-r", page), htmltext.Links) {
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, e.URI.String())
	}
	const based, basedQuery = "http://h/d//%D0%BC%D0%B8%D1%80", "http://h/d//q?%CD%C9%D2"
	if got := strings.Join(links, " "); got != based+" "+basedQuery {
		t.Errorf("got the links %s, want %s %s", got, based, basedQuery)
	}
	text := view(t, document("text/html; charset=koi8-r", page), Text, &Options{Page: htmltext.Render})
	if !strings.Contains(text, "[1] http://h/d//мир\n") || !strings.Contains(text, "[2] "+basedQuery+"\n") {
		t.Errorf("got the text %s, want http://h/d//мир and %s", text, basedQuery)
	}

	framed := view(t, document("text/html; charset=koi8-r", page), HTML, &Options{Foreign: copied})
	for _, want := range []string{based, basedQuery} {
		if !strings.Contains(framed, "href=&quot;"+want+"&quot;") {
			t.Errorf("got the frame %s, want a link to %s", framed, want)
		}
	}
	mail := "MIME-Version: 1.0\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n<a href=\xcd\xc9\xd2>a</a><a href='q?\xcd\xc9\xd2'>b</a>"
	text = view(t, document("message/rfc822", mail), Text, &Options{Page: htmltext.Render})
	if !strings.Contains(text, "[1] http://h/d/мир\n") || !strings.Contains(text, "[2] "+query+"\n") {
		t.Errorf("got the mail %s, want %s and %s", text, path, query)
	}

	d := document("text/html; charset=utf-16le", utf16le("<base href='/мир/'><form action='?a=1'><input name=q></form>"))
	htmltext.Head(d)
	if want := "http://h/%D0%BC%D0%B8%D1%80/"; d.Base.String() != want || !strings.HasPrefix(d.Search.String(), want) {
		t.Errorf("got the base %s and the search %s, want %s", d.Base, d.Search, want)
	}
	if b, err := io.ReadAll(d.Body); err != nil || len(b)%2 != 0 || len(b) == 0 || b[0] != '<' || b[1] != 0 {
		t.Errorf("got %d bytes %.10q, %v, want the page unchanged", len(b), b, err)
	}
}

// copied is Options.Foreign.
func copied(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, href func(uri.URI) string, _ bool) error {
	return foreign.Write(w, r, isXML, base, foreign.Links{To: href})
}

// An element of XHTML without content ends at once, also one that contains only text in HTML.
func TestEmptyElements(t *testing.T) {
	const page, inHTML = "<title/><pre/><p>a  <b/>b</p><a href='x'/><br/><script/>c", "</a><br>"
	xhtml := func() *fetch.Document { return document("application/xhtml+xml; charset=utf-8", page) }
	for e, err := range Links(xhtml(), htmltext.Links) {
		if err != nil || e.URI.String() != "http://h/d/x" {
			t.Errorf("got %v, %v, want the link", e, err)
		}
	}
	if l, err := Link(Links(xhtml(), htmltext.Links), 1); err != nil {
		t.Errorf("got %v, %v, want a link", l, err)
	}
	mail := "MIME-Version: 1.0\r\nContent-Type: application/xhtml+xml\r\n\r\n" + page
	for _, d := range []*fetch.Document{xhtml(), document("message/rfc822", mail)} {
		if got := view(t, d, Text, &Options{Page: htmltext.Render}); !strings.Contains(got, "a b") || !strings.Contains(got, "http://h/d/x") {
			t.Errorf("got the text %q, want a b and the link", got)
		}
	}
	framed := view(t, xhtml(), HTML, &Options{Foreign: copied, Page: htmltext.Render})
	if got := strings.ReplaceAll(framed, "&quot;", `"`); !strings.Contains(got, `<pre></pre><p>a  <b></b>b</p><a target="_top" rel="noreferrer" href="http://h/d/x">`+inHTML+"c") {
		t.Errorf("got the frame %s, want the elements closed", got)
	}
	d := document("application/xhtml+xml", "<title/><base href='/e/'/>")
	if htmltext.Head(d); d.Base.String() != "http://h/e/" {
		t.Errorf("got the base %s, want http://h/e/", d.Base)
	}
}

// utf16le encodes characters below U+10000.
func utf16le(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}
