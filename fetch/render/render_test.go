package render

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
	"golang.org/x/net/html"
)

func listing(entries ...fetch.Entry) *fetch.Document {
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, e := range entries {
			if e.Kind == "broken" {
				yield(fetch.Entry{}, fetch.Errorf(fetch.ErrTruncated, "broke <off>"))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	})
	d.URI = uri.MustParse("gopher://h/1/")
	d.Base = d.URI
	return d
}

func document(mediaType, data string) *fetch.Document {
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(data)))
	d.URI = uri.MustParse("http://u:secret@h/d/x")
	d.Base = d.URI.WithoutUserinfo()
	d.Type = mediaType
	return d
}

func menu() *fetch.Document {
	return listing(
		fetch.Entry{Kind: fetch.KindText, Title: "Welcome <b>\x1b[2J", Size: -1},
		fetch.Entry{Kind: fetch.KindFile, URI: uri.MustParse("gopher://h/0/a b"), Title: "About", Size: -1},
		fetch.Entry{Kind: fetch.KindMenu, URI: uri.MustParse("gopher://h/1/m"), Title: "Menu\nof two", Size: -1},
		fetch.Entry{Kind: fetch.KindText, Title: "caf\xe9", Size: -1},
		fetch.Entry{Kind: fetch.KindSearch, URI: uri.MustParse("gopher://h/7/s"), Title: "Find", Size: -1},
		fetch.Entry{Kind: fetch.KindFile, URI: uri.MustParse("javascript:alert(1)"), Title: "Click", Size: -1},
		fetch.Entry{Kind: fetch.KindSession, URI: uri.MustParse("telnet://h/"), Title: "", Size: -1},
	)
}

func files() *fetch.Document {
	return listing(
		fetch.Entry{Kind: fetch.KindDir, URI: uri.MustParse("ftp://h/pub/"), Title: "pub", Size: -1,
			Modified: time.Date(1994, 5, 25, 9, 30, 0, 0, time.UTC)},
		fetch.Entry{Kind: fetch.KindFile, URI: uri.MustParse("ftp://h/a&b"), Title: "a&b", Size: 12345},
	)
}

func view(t *testing.T, d *fetch.Document, f Format, o *Options) string {
	t.Helper()
	var b strings.Builder
	if err := View(&b, d, f, o); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.String()
}

// wantAll checks that the output of a view contains each of want.
func wantAll(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("want %q in\n%s", w, got)
		}
	}
}

func TestTextOfListings(t *testing.T) {
	want := `Welcome <b>\x1b[2J
  [1] About
  [2] Menu\x0aof two/
café
  [3] Find <?>
  [4] Click
  [5] telnet://h/ <session>
`
	if got := view(t, menu(), Text, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = "  [1] 1994-05-25 09:30               pub/\n" +
		"  [2]                         12345  a&b\n"
	if got := view(t, files(), Text, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = "  [1] news.a/  (12)  What for\x1b\n  [2] Re: it  Ann Lab <a@h>\n  [3] lab  [jargon]\n"
	if got := view(t, listing(
		fetch.Entry{Kind: fetch.KindGroup, URI: uri.MustParse("news:news.a"), Title: "news.a", Size: -1,
			Attr: map[string][]string{"articles": {"12"}, "description": {"What for\x1b"}}},
		fetch.Entry{Kind: fetch.KindMessage, URI: uri.MustParse("news:a@b"), Title: "Re: it", Size: -1,
			Attr: map[string][]string{"from": {"Ann Lab <a@h>"}, "articles": {"1"}}},
		fetch.Entry{Kind: fetch.KindEntry, URI: uri.MustParse("dict://h/d:lab:jargon"), Title: "lab", Size: -1,
			Attr: map[string][]string{"database": {"jargon"}}},
	), Text, nil); got != strings.ReplaceAll(want, "\x1b", `\x1b`) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLinksAreNumberedAsShown(t *testing.T) {
	for n, want := range map[int]string{1: "gopher://h/0/a b", 3: "gopher://h/7/s", 5: "telnet://h/"} {
		if e, err := Link(Links(menu(), nil), n); err != nil || e.URI.String() != want {
			t.Errorf("link %d: got %v, %v, want %s", n, e.URI, err, want)
		}
	}
	for _, n := range []int{0, -1, 6} {
		if _, err := Link(Links(menu(), nil), n); !errors.Is(err, fetch.ErrNotFound) {
			t.Errorf("link %d: got %v, want notfound", n, err)
		}
	}
	if _, err := Link(Links(listing(fetch.Entry{Kind: "broken"}), nil), 1); !errors.Is(err, fetch.ErrTruncated) {
		t.Errorf("a listing that breaks: got %v, want truncated", err)
	}
	page := "<a href=one>1</a><a href=two>2</a>"
	if e, err := Link(Links(document("text/html; charset=utf-8", page), htmltext.Links), 2); err != nil || e.URI.String() != "http://h/d/two" {
		t.Errorf("link 2 of a page: got %v, %v, want http://h/d/two", e.URI, err)
	}
	if _, err := Link(Links(document("text/plain", page), htmltext.Links), 1); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("link 1 of a text: got %v, want notfound", err)
	}
}

func TestTextOfDocuments(t *testing.T) {
	for _, c := range []struct{ mediaType, in, want string }{
		{"text/plain", "", ""},
		{"text/plain", "a", "a"},
		{"text/plain", "café", "café"},
		{"text/plain", "caf\xe9 \x80 \x93q\x94", "café € “q”"}, // no label: UTF-8, and invalid bytes as Windows-1252
		{"text/plain; charset=us-ascii", "caf\xe9", "café"},
		{"text/plain; charset=ISO-8859-1", "caf\xe9 \xc3\xa9", "café Ã©"},
		{"text/plain; charset=\"utf-8\"", "caf\xe9", "caf\xe9"}, // a wrong label: unchanged
		{"text/plain; charset=koi8-r", "\xf0\xf2\xe9", "ПРИ"},
		{"text/plain; charset=utf-16le", "h\x00i\x00", "hi"},
		{"text/plain", "\xff\xfeh\x00i\x00", "hi"},
		{"text/plain", "\xfe\xff\x00h\x00i", "hi"},
		{"text/plain; charset=iso-8859-1", "\xef\xbb\xbfé", "é"}, // the mark overrides the label
		{"text/plain; charset=x-unknown", "caf\xe9", "café"},     // guessed
		{"text/html", "<META HTTP-EQUIV=content-type CONTENT='text/html; charset=iso-8859-2'>\xb1",
			"<META HTTP-EQUIV=content-type CONTENT='text/html; charset=iso-8859-2'>ą"},
		{"text/html", "<meta charset=\"koi8-r\">\xf0", "<meta charset=\"koi8-r\">П"},
		{"", "unknown type", "unknown type"},
		{"application/json", "{}", "{}"},
	} {
		if got := view(t, document(c.mediaType, c.in), Text, nil); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.mediaType, c.in, got, c.want)
		}
	}
	if got := view(t, document("text/plain", "a\x1b[2J\xe9\r\n"), Text, &Options{Terminal: true}); got != `a\x1b[2Jé`+"\n" {
		t.Errorf("on a terminal: got %q, want %q", got, `a\x1b[2Jé`+"\n")
	}
	if got := view(t, document("text/html", "<p>a<a href=x>b</a>&#x1b;"), Text,
		&Options{Terminal: true, Page: htmltext.Render}); got != "a[1]b\\x1b\n\nReferences\n  [1] http://h/d/x\n" {
		t.Errorf("got %q, want the dots and the escaped slash unchanged", got)
	}
}

func TestBinaryIsRefused(t *testing.T) {
	for mediaType, in := range map[string]string{"image/gif": "GIF89a\x01\x00", "": "\x7fELF\x02\x00",
		"application/octet-stream": strings.Repeat("\x01\x02a", 100)} {
		for _, f := range []Format{Text, HTML, Raw} {
			var b strings.Builder
			if err := View(&b, document(mediaType, in), f, &Options{Terminal: true}); !errors.Is(err, fetch.ErrUnsupported) || b.Len() > 0 {
				t.Errorf("%s %s: got %v and %q, want unsupported and no output", mediaType, f, err, b.String())
			}
		}
	}
	view(t, document("application/octet-stream", "#!/bin/sh\n"), Text, nil) // the contents are text, although the type is not
	view(t, document("text/plain", "a\x00b"), Text, nil)                    // the server declares it as text
}

// TestPromise9EveryViewOnATerminal: no view passes control sequences of a server to a terminal.
func TestPromise9EveryViewOnATerminal(t *testing.T) {
	const evil = "a\x1b[2J\u009b31m\u202eb\x7f"
	entries := func() *fetch.Document {
		d := document("text/plain", evil)
		d.URI = uri.MustParse("ldap://h/o=x")
		d.Entries = func(yield func(fetch.Entry, error) bool) {
			yield(fetch.Entry{URI: d.URI, Title: evil, Kind: evil, Size: -1, Attr: map[string][]string{evil: {evil}}}, nil)
		}
		return d
	}
	for _, f := range Formats() {
		for name, d := range map[string]*fetch.Document{"text": document("text/plain", evil),
			"page": document("text/html; charset=utf-8", "<p>"+evil), "type": document("text/"+evil, evil), "entries": entries()} {
			var b strings.Builder
			err := View(&b, d, f, &Options{Terminal: true, Page: htmltext.Render})
			if err != nil && !errors.Is(err, fetch.ErrUnsupported) {
				t.Errorf("%s of %s: got %v, want no error or unsupported", f, name, err)
			}
			if err == nil && b.Len() == 0 && f != URIList {
				t.Errorf("%s of %s: no output, want some", f, name)
			}
			if strings.ContainsAny(b.String(), "\x1b\u009b\u202e\x7f") {
				t.Errorf("%s of %s: got %q, want no control characters", f, name, b.String())
			}
		}
	}
}

func TestRaw(t *testing.T) {
	if got := view(t, document("image/gif", "\x00\xff"), Raw, nil); got != "\x00\xff" {
		t.Errorf("got %q, want the bytes unchanged", got)
	}
	if err := View(io.Discard, menu(), "mbox", nil); !errors.Is(err, fetch.ErrUnsupported) {
		t.Errorf("an unknown view: got %v, want unsupported", err)
	}
}

func TestJSON(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(view(t, files(), JSON, nil)), "\n")
	if len(lines) != 2 || lines[1] != `{"uri":"ftp://h/a&b","title":"a&b","kind":"file","size":12345}` &&
		!strings.Contains(lines[1], `\u0026`) {
		t.Errorf("got lines %q, want two entries", lines)
	}
	for _, l := range append(lines, view(t, menu(), JSON, nil)) {
		dec := json.NewDecoder(strings.NewReader(l))
		for dec.More() {
			var e map[string]any
			if err := dec.Decode(&e); err != nil || e["kind"] == nil {
				t.Errorf("%s: got %v, want JSON with a kind", l, err)
			}
		}
	}
	one := view(t, document("text/plain", "x"), JSON, nil)
	if strings.Contains(one, "secret") || !strings.Contains(one, `"final_uri":"http://u:***@h/d/x"`) || strings.Count(one, "\n") != 1 {
		t.Errorf("got %s, want one line without the password", one)
	}
	if want := `"size":1,"sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"`; !strings.Contains(one, `"size":1`) ||
		!strings.Contains(one, want[9:]) {
		t.Errorf("got %s, want %s", one, want)
	}
	without := document("text/plain", "")
	if without.Size = 5; strings.Contains(view(t, without, JSON, nil), "sha256") {
		t.Error("a document without its body has a digest, want none")
	}
	cut := fetch.NewDocument(io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)))
	if err := View(io.Discard, cut, JSON, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken body: %v, want %v", err, io.ErrUnexpectedEOF)
	}
	i := NewInfo(uri.MustParse("http://h/"), nil, &fetch.Error{Kind: fetch.ErrNotFound, Text: "404", Hint: "h"})
	if i.Error == nil || i.Error.Class != fetch.ErrNotFound || i.Error.Hint != "h" {
		t.Errorf("got %+v, want the kind and the hint of the error", i)
	}
}

func TestURIList(t *testing.T) {
	want := "gopher://h/0/a%20b\ngopher://h/1/m\ngopher://h/7/s\njavascript:alert(1)\ntelnet://h/\n"
	if got := view(t, menu(), URIList, nil); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Dots and escaped delimiters stay, since changing them could name another object. Equivalent escapes take one form.
	d := listing(fetch.Entry{URI: uri.MustParse("ftp://H/a/../%2fb%7e/é"), Size: -1})
	if got := view(t, d, URIList, nil); got != "ftp://H/a/../%2Fb~/%C3%A9\n" {
		t.Errorf("got %q, want the page unchanged", got)
	}
}

// checkPage parses a page and reports what a reader without scripts, or with a screen reader, would miss.
func checkPage(t *testing.T, page string) {
	t.Helper()
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=") {
		t.Errorf("want a doctype and a language in\n%s", page)
	}
	z := html.NewTokenizer(strings.NewReader(page))
	var open []string
	seen := map[string]int{}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		tok := z.Token()
		switch kind {
		case html.StartTagToken:
			seen[tok.Data]++
			if tok.Data != "meta" && tok.Data != "img" && tok.Data != "input" {
				open = append(open, tok.Data)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(a.Val, "javascript:") {
					t.Errorf("got %s, want no such element or attribute in\n%s", tok, page)
				}
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("got %s, want the end of the last of %v in\n%s", tok, open, page)
			}
			open = open[:len(open)-1]
		case html.TextToken:
			if strings.ContainsAny(tok.Data, "\x00\x1b\x7f") {
				t.Errorf("want no control characters in\n%q", page)
			}
		}
	}
	if len(open) > 0 || seen["script"] > 0 || seen["b"] > 0 || seen["title"] != 1 || seen["h1"] != 1 || seen["main"] != 1 ||
		seen["table"] != seen["caption"] {
		t.Errorf("got open elements %v, and %v, want none open and one heading in\n%s", open, seen, page)
	}
}

func TestHTML(t *testing.T) {
	hostile := "</pre><script>alert(1)</script>\x00\x1b\r\n" + strings.Repeat("é€𝄞x", 9000)
	for _, d := range []*fetch.Document{menu(), files(), listing(), listing(fetch.Entry{Kind: "broken"}), document("text/plain", hostile),
		document("text/plain", "")} {
		var b strings.Builder
		err := View(&b, d, HTML, &Options{Title: "A <title> & \"more\""})
		if err != nil && !errors.Is(err, fetch.ErrTruncated) {
			t.Errorf("got %v, want no error or truncated", err)
		}
		checkPage(t, b.String())
		if err != nil && !strings.Contains(b.String(), "broke &lt;off&gt;") {
			t.Errorf("want a note that the document is not complete in\n%s", b.String())
		}
	}
	page := view(t, menu(), HTML, nil)
	wantAll(t, page, `<tr><th scope="row" align="left"><span class="i file"></span><a href="gopher://h/0/a%20b">About</a></th><td>file</td></tr>`,
		`<tr><th scope="row" align="left"><span class="i file"></span>Click</th>`, "Welcome &lt;b&gt;\uFFFD[2J", "café")
	if got := view(t, document("text/plain", hostile), HTML, nil); strings.Count(got, "é€𝄞x") != 9000 || strings.Contains(got, "secret") {
		t.Errorf("characters are split, or the password is shown, in\n%s", page)
	}
	gateway := func(u uri.URI) string { return "/?" + u.String() }
	wantAll(t, view(t, files(), HTML, &Options{Href: gateway}), `<a href="/?ftp://h/a&amp;b">`)
	if got := view(t, document("text/html", "<p>as it is"), HTML, nil); got != "<p>as it is" {
		t.Errorf("got %q, want the page unchanged", got)
	}
}

// TestViewsStream: a long listing takes no more memory than a short one.
func TestViewsStream(t *testing.T) {
	if testing.Short() {
		t.Skip("it renders many entries")
	}
	const entries = 10_000 // which take 3 MiB
	many := func(sample func()) *fetch.Document {
		var seq iter.Seq2[fetch.Entry, error] = func(yield func(fetch.Entry, error) bool) {
			for i := range entries {
				if i%1000 == 0 {
					sample()
				}
				if !yield(fetch.Entry{URI: uri.MustParse("ftp://h/" + strconv.Itoa(i)), Kind: fetch.KindFile, Title: strings.Repeat("t", 100),
					Size: 1}, nil) {
					return
				}
			}
		}
		d := fetch.NewListing(seq)
		d.URI = uri.MustParse("ftp://h/")
		return d
	}
	for _, f := range []Format{Text, HTML, JSON, URIList} {
		var err error
		n := &counter{}
		held := fetchtest.HeapGrowth(func(sample func()) { err = View(n, many(sample), f, nil) })
		if err != nil || held > 1<<20 || n.n < entries*10 {
			t.Errorf("%s: got %d KiB more memory for %d bytes, %v, want at most 1 MiB", f, held>>10, n.n, err)
		}
	}
	full := errors.New("full")
	for _, f := range []Format{Raw, Text, HTML, JSON, URIList} {
		if err := View(failing{full}, many(func() {}), f, nil); err != full {
			t.Errorf("%s: got %v, want %v", f, err, full)
		}
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}
