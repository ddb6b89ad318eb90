package browse

import (
	"bytes"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// laid returns a page that was read from text, in rows of a number of columns. list yields its entries; nil if it has none.
func laid(t *testing.T, mediaType, text string, columns int, list func(io.Reader) iter.Seq2[fetch.Entry, error]) *page {
	t.Helper()
	d := fetch.NewDocument(fetch.NewBody(strings.NewReader(text), func() error { return nil }))
	d.Type, d.URI, d.Base = mediaType, uri.MustParse("http://h/d/"), uri.MustParse("http://h/d/")
	if list != nil {
		d.ListWith(list)
	}
	p := &page{doc: d}
	var received bytes.Buffer
	if err := p.fill(d, &received); err != nil {
		t.Fatal(err)
	}
	p.lay(columns, false)
	return p
}

// linked returns the text of each link, as it is on the screen. Rows are separated by a slash.
func (p *page) linked() (texts []string) {
	for _, s := range p.layout.place {
		text := ""
		for n := s.row; n <= s.lastRow; n++ {
			from, to := 0, len(p.layout.rows[n].text)
			if n == s.row {
				from = s.from
			}
			if n == s.lastRow {
				to = s.to
			}
			text += "/" + strings.TrimSpace(p.layout.rows[n].text[from:to])
		}
		texts = append(texts, text[1:])
	}
	return texts
}

// Links are where the page has them, not where its text looks like their numbers.
func TestPlacesOfLinks(t *testing.T) {
	t.Parallel()
	listed := func(entries ...fetch.Entry) func(io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(io.Reader) iter.Seq2[fetch.Entry, error] {
			return func(yield func(fetch.Entry, error) bool) {
				for _, e := range entries {
					if !yield(e, nil) {
						return
					}
				}
			}
		}
	}
	x := uri.MustParse("http://h/x")
	note := fetch.Entry{Title: "  [1] a note", Kind: fetch.KindText, Size: -1}
	gone := fetch.Entry{Title: "  [1] gone", Size: -1, Attr: map[string][]string{"item": {"3"}}}
	file := fetch.Entry{Title: "real [1] link", URI: x, Kind: fetch.KindFile, Size: -1}
	row := fetch.Entry{Title: "[2]", URI: x, Kind: fetch.KindEntry, Size: -1,
		Attr: map[string][]string{fetch.AttrColumns: {"[1]", "b"}, "[1]": {"[2]"}, "b": {"c"}}}
	for _, tt := range []struct {
		name, mediaType, text string
		list                  func(io.Reader) iter.Seq2[fetch.Entry, error]
		want                  []string
	}{
		{"a note before a link", "text/html", `<p>See note [1] here. <a href="x">real link</a> [2] <a href=y>other</a>, end`, nil,
			[]string{"[1]real link", "[2]other"}},
		{"a link within a word", "text/html", `[1]<a href=x>li</a>nk, <pre>[2]<a href=y>in pre</a> [2]</pre>`, nil, []string{"[1]li", "[2]in pre"}},
		{"a link of two rows", "text/html", `<ul><li>See <a href=x>real link that is long</a></ul>`, nil, []string{"[1]real link/that is long"}},
		{"a link in Japanese", "text/html", `日本<a href=x>日本</a>。日本`, nil, []string{"[1]日本"}},
		{"a link that is not shown", "text/html", `[2]<svg><a href=x>x</a></svg><a href=y>y</a>`, nil, []string{"[1] x", "[2]y"}},
		{"a link with no end", "text/html", `<a href=x>x <p>[2] <a href=y>y</a>`, nil, []string{"[1]x//[2]", "[2]y"}},
		{"controls", "text/html", "<p>\x01\x1b[1] <a href=x>\x01x\x02</a>\x03", nil, []string{`[1]\x01x\x02`}},
		{"a frame and a search", "text/html", `[1] [2] <frame src=x><form action=f><input name=q></form>`, nil, []string{"[1](frame)", "[2]Search <?>"}},
		{"gemtext", "text/gemini", "See note [1]\n  [1] here\n=> x real link\n", nil, []string{"[1] real link"}},
		{"a menu", "application/gopher-menu", "", listed(note, gone, file, note), []string{"[1] real [1] link"}},
		{"a table", "application/x-listing", "", listed(row, note), []string{"[1] [2]  [2]  c"}},
		{"Markdown", "text/markdown", "See [1] and\n  [1] x\n\n[1]: http://h/x\n", nil, nil},
		{"a message", "message/rfc822", "Subject: [1]\n\n  [1] x\n", listed(file), []string{"[1] real [1] link"}},
		{"a page in a message", "message/rfc822", "Content-Type: text/html\n\n<a href=y>y</a>\n", listed(file), []string{"[1] real [1] link"}},
	} {
		if got := laid(t, tt.mediaType, tt.text, 22, tt.list).linked(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got the links %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, r := range laid(t, "message/rfc822", "Content-Type: text/html\n\n<a href=y>y</a>\n", 22, nil).layout.rows {
		if strings.Contains(r.text, "[1]") {
			t.Errorf("got the row %q, want no number: it would be that of a link of the message", r.text)
		}
	}
}

// FuzzFeed checks that items have addresses, that texts are lines, and that other documents have no items.
func FuzzFeed(f *testing.F) {
	f.Add("<rss><channel><title>a</title><item><title>b</title><guid>http://h/</guid><pubDate>x</pubDate></item>")
	f.Add("<feed><entry><link href='a'/><updated>2026-11-19T10:00:00Z</updated></entry></feed>")
	f.Fuzz(func(t *testing.T, in string) {
		list := readFeed(strings.NewReader(in), uri.MustParse("http://h/"))
		if len(list) > 0 && !strings.Contains(in, "rss") && !strings.Contains(in, "feed") && !strings.Contains(in, "RDF") {
			t.Errorf("%q: got %d items, want none", in, len(list))
		}
		for _, e := range list {
			if !e.URI.IsZero() && !e.URI.IsAbs() || strings.ContainsAny(e.Title, "\n\r\t") {
				t.Errorf("%q: got %+v, want a line of text with an absolute address or none", in, e)
			}
		}
	})
}

// top returns the first row of the page on the screen.
func (u *user) top() string {
	return strings.SplitN(u.Frame().Text(), "\n", 3)[1]
}

// A fragment opens the page at its part. A link within the page goes there without a request, and b comes back.
func TestFragments(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("<p>A paragraph of the page, which is not the one.\n", 30)
	requests := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>Owls</title><ul><li><a href='#barn'>Barn owls</a><li><a href='#none'>None</a></ul>"+filler+"<h2 id=barn>Barn owls</h2><p>They screech.\n"+filler+
			"<p><a name='tawny owl'>The</a> tawny owl hoots.\n"+filler)
	}))
	t.Cleanup(web.Close)
	text := strings.Repeat("A line that is longer than the screen of eighty columns, so that it takes two rows of it at least.\n", 30) + "The line.\n" + strings.Repeat("After\n", 40)
	g := gopherOf(t, fstest.MapFS{"a.txt": {Data: []byte(text)}, "c.md": {Data: []byte("# Owls\n```\n# no heading\n```\n#nor this\n" + strings.Repeat("A line\n", 40) + "## Barn owls\n" + strings.Repeat("A line\n", 40))}, "b.gmi": {Data: []byte("# Owls\n" + strings.Repeat("A line\n", 40) + "## Barn owls!\nThey screech.\n" + strings.Repeat("A line\n", 40))}}, nil)
	u := newUser(t, nil)
	for _, tt := range []struct {
		address, want string
		keys          []Key
	}{
		{web.URL + "/#barn", "Barn owls", nil},
		{web.URL + "/#tawny%20owl", "The tawny owl hoots.", nil},
		{web.URL + "/", "* [1]Barn owls", nil},
		{g.URL + "/0/a.txt#line=30", "The line.", nil},
		{g.URL + "/0/b.gmi#barn-owls", "## Barn owls!", nil},
		{g.URL + "/0/b.gmi#Barn%20owls", "## Barn owls!", nil},
		{web.URL + "/", "Barn owls", []Key{"t", Enter}},
		{g.URL + "/0/b.gmi", "## Barn owls!", []Key{"t", "2", Enter}},
		{g.URL + "/9/c.md", "## Barn owls", []Key{"t", "2", Enter}},
	} {
		if u.open(tt.address).press(tt.keys...); strings.TrimSpace(u.top()) != tt.want {
			t.Errorf("%s: got the first row %q, want %q", tt.address, u.top(), tt.want)
		}
	}
	u.open(web.URL+"/").press("1", Enter).sees("They screech.")
	if got := strings.TrimSpace(u.top()); got != "Barn owls" || requests != 1 {
		t.Errorf("got the first row %q after %d requests, want Barn owls after one", got, requests)
	}
	u.press("b").sees("[1]Barn owls").press("2", Enter).sees("This page has no part called none.").press("H", "t").sees("This page has no headings.")
}

// A login is asked for when the server wants one, once, and the password is not shown.
func TestLogin(t *testing.T) {
	t.Parallel()
	f := ftptest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("It is yours.\n")}, "b.txt": {Data: []byte("This too.\n")}},
		&ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"ann": {Password: "sesame"}}})
	t.Cleanup(f.Close)
	u := newUser(t, nil).open(f.URL + "/a.txt")
	u.sees("User for ftp://127.0.0.1").enter("ann").sees("Password of ann for ftp://").enter("wrong").seesNot("wrong")
	u.sees("User for ftp://").press(Escape).sees("auth: ")
	u.press("r").sees("User for ftp://").enter("ann").enter("sesame").sees("It is yours.").open(f.URL + "/b.txt").sees("This too.")
}
