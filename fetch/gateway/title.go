package gateway

import (
	"bytes"
	"cmp"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/fetch/pieces"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// title returns the title of a page: the document's own, or the last part of its URI. It returns the error of gemtext that fails before its first
// line.
func title(d *fetch.Document, o *fetch.Options) (own string, err error) {
	switch kind := mediatype.Essence(d.Type); {
	case kind == "message/rfc822":
		own = subject(d)
	case kind == "text/gemini" && d.Entries != nil:
		own, err = firstHeading(d)
	case mediatype.IsPage(kind):
		own = pageTitle(d)
	}
	if own = strings.TrimSpace(own); own != "" || err != nil {
		return own, err
	}
	return nameOf(d.URI, o), nil
}

// nameOf returns the title of an object that has none of its own: the last part of its URI.
func nameOf(u uri.URI, o *fetch.Options) string {
	name := cmp.Or(lastName(u), u.Redacted(nil))
	if u.Scheme() == "wais" {
		name = cmp.Or(save.NameOf(u), name) // the server's own name of a document is in its identifier
	}
	if words := wordsOf(u, o); len(words) > 0 {
		name = strings.Join(words, " ") + " – " + name
	}
	return charset.Text(name)
}

// firstHeading returns the heading at the beginning of a page of gemtext, or "".
func firstHeading(d *fetch.Document) (string, error) {
	e, err := firstEntry(d)
	if kind, text := render.GemtextLine(e); err == nil && kind == render.LineHeading {
		return text, nil
	}
	return "", err
}

// firstTitle returns the title of the first entry.
func firstTitle(d *fetch.Document) string {
	e, _ := firstEntry(d)
	return charset.Text(e.Title)
}

// firstEntry returns the first entry of d, or what its iterator yields in place of one, and leaves the entries as they are.
func firstEntry(d *fetch.Document) (first fetch.Entry, failure error) {
	if d.Entries == nil {
		return first, nil
	}
	next, stop := iter.Pull2(d.Entries)
	e, err, ok := next()
	if first, failure = e, err; err != nil {
		stop()
	}
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		defer stop()
		for ; ok; e, err, ok = next() {
			if !yield(e, err) {
				return
			}
		}
	}
	return first, failure
}

// maxAhead is how much of a document is read to find its title.
const maxAhead = 16 << 10

// ahead returns the beginning of the body of d, up to a byte sequence that ends what is wanted. The body still returns it.
func ahead(d *fetch.Document, end string) []byte {
	a := &pieces.Ahead{Rest: d.Body}
	a.Until(maxAhead, end)
	d.Body = fetch.NewBody(a, d.Body.Close)
	return a.Held
}

// subject returns the subject of a message.
func subject(d *fetch.Document) string {
	if s := d.Header.Get("Subject"); s != "" {
		return mimemail.WordsIn(s, charset.LabelOf(d.Header.Get("Content-Type")))
	}
	h := mimemail.ParseHeader(bytes.ReplaceAll(ahead(d, "\n\r\n"), []byte("\r\n"), []byte("\n")))
	return mimemail.WordsIn(h.Get("Subject"), h.Charset())
}

// pageTitle returns the TITLE of an HTML page, if it is near the beginning.
func pageTitle(d *fetch.Document) string {
	head := ahead(d, "</title>")
	text, _ := d.Source().Page(bytes.NewReader(head), d.Base)
	z := markup.New(text, 4*maxAhead).XML(mediatype.IsXML(d.Type)) // in UTF-8, a page may be longer
	for inside := false; ; {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			inside = z.Name() == "title"
		case html.TextToken:
			if inside {
				return strings.Join(strings.Fields(string(z.Text())), " ")
			}
		}
	}
}
