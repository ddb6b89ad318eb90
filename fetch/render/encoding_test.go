package render

import (
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

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
