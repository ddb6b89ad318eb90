// Package render writes views of documents: entries (of listings, menus, overviews, search results) as text, HTML, JSON Lines or a list of URIs,
// documents in old charsets as text, and the texts of bulletin boards.
//
//	err := render.View(os.Stdout, d, render.Text, &render.Options{Terminal: true})
//
// Views are written while the document is read: a listing of ten million lines takes no more memory than one of ten. Text from servers is not
// trusted: Terminal and Escape make its control sequences visible, and the HTML view escapes its markup.
//
// Package htmltext shows HTML pages as text. It is separate so that programs which do not need it do not link it.
package render

import (
	"cmp"
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// A Format is the name of a view.
type Format string

const (
	Raw     Format = "raw"      // the bytes, unchanged
	Text    Format = "text"     // entries, numbered in the order of Links; documents in UTF-8
	HTML    Format = "html"     // a page
	JSON    Format = "json"     // JSON Lines, one fetch.Entry a line, or one Info for a document without entries
	URIList Format = "uri-list" // one absolute URI a line
	LDIF    Format = "ldif"     // the entries of a directory (RFC 2849)
)

// Formats returns all Formats.
func Formats() []Format { return []Format{Raw, Text, HTML, JSON, URIList, LDIF} }

// Options configure a view. A nil *Options means the zero Options.
type Options struct {
	Terminal bool   // the output is a terminal: control characters are made visible, and binary documents are an error
	Color    bool   // with Terminal: headings of gemtext are bold; no other control sequence is written
	Width    int    // columns of running text; 0 means 78
	Title    string // of the HTML view; by default the URI
	// Charset is called once if the text of a document or listing is in a charset other than ASCII. It gets the charset and how it was found.
	Charset func(label string, how charset.How)
	Inner   bool // only the contents of the HTML view's main part, for a page of the caller
	// Href returns the reference for a link of the HTML view, or "" to show only its text. By default it is the URI, except for URIs that run a
	// program in the browser.
	Href func(uri.URI) string
	// Sort returns the reference that sorts a listing of the HTML view by a property, and its order if it is sorted by it now: "ascending" or
	// "descending". By default the heads of columns are not links.
	Sort func(SortKey) (href, order string)
	// Here reports whether an entry is the message that a thread is shown for. A nil Here finds none.
	Here func(fetch.Entry) bool
	// Search is the address of the page that handles searches: forms send it the URI to search as "uri", and the input as "words". By default
	// the HTML view shows links.
	Search string
	// Foreign copies an HTML page of a server into a frame of ours; foreign.Write does so. images reports whether its images may be loaded;
	// those of a message may not. By default the source is shown.
	Foreign func(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, href func(uri.URI) string, images bool) error
	// Original is the reference of the document itself, for browsers without frames; "" for none.
	Original string
	// Part returns the reference for a part of a message, by number. By default there is none.
	Part func(n int) string
	// Page writes an HTML page as text; htmltext.Render does so. By default the source is shown. The HTML view uses it within frames, for browsers
	// without them.
	Page func(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, width int) error
}

const defaultWidth = 78

func (o *Options) width() int {
	if o.Width > 0 {
		return o.Width
	}
	return defaultWidth
}

// View writes a view of d. It reads d and does not close it. It returns fetch.ErrUnsupported if d has no such view.
func View(w io.Writer, d *fetch.Document, f Format, o *Options) error {
	if o == nil {
		o = &Options{}
	}
	if o.Terminal {
		t := NewTerminal(w)
		return cmp.Or(write(t, d, f, o), t.Flush())
	}
	return write(w, d, f, o)
}

// write is View without the filter for terminals.
func write(w io.Writer, d *fetch.Document, f Format, o *Options) error {
	if f != Raw && f != "" {
		List(d)
	}
	switch f {
	case Raw, "":
		return rawView(w, d, o)
	case Text:
		return textView(w, d, o)
	case HTML:
		return htmlView(w, d, o)
	case JSON:
		return jsonView(w, d)
	case URIList:
		return uriList(w, d)
	case LDIF:
		return ldif(w, d)
	}
	return fetch.Errorf(fetch.ErrUnsupported, "no such view: %q", string(f))
}

// rawView copies the bytes. On a terminal they must be text.
func rawView(w io.Writer, d *fetch.Document, o *Options) error {
	r := io.Reader(d.Body)
	if o.Terminal {
		var err error
		if r, err = textBody(d); err != nil {
			return err
		}
	}
	_, err := io.Copy(w, r)
	return err
}

// Links yields the entries of d that have a target. The text view shows entry N as [N]. page, which should be htmltext.Links, finds those of an HTML
// page; if it is nil, they are omitted.
func Links(d *fetch.Document, page func(r io.Reader, isXML bool, base uri.Resolver) iter.Seq2[fetch.Entry, error]) iter.Seq2[fetch.Entry, error] {
	List(d)
	return func(yield func(fetch.Entry, error) bool) {
		seq := d.Entries
		if seq != nil {
			seq = readable(d, &Options{})
		}
		if seq == nil {
			if page == nil || !mediatype.IsPage(d.Type) {
				return
			}
			body, base := d.Source().Page(d.Body, d.Base)
			seq = page(body, mediatype.IsXML(d.Type), base)
		}
		for e, err := range seq {
			if err != nil {
				yield(e, err)
				return
			}
			if !e.URI.IsZero() && !yield(e, nil) {
				return
			}
		}
	}
}

// Link returns the Nth link, counted from 1.
func Link(links iter.Seq2[fetch.Entry, error], n int) (fetch.Entry, error) {
	i := 0
	for e, err := range links {
		if err != nil {
			return e, err
		}
		if i++; i == n {
			return e, nil
		}
	}
	return fetch.Entry{}, fetch.Errorf(fetch.ErrNotFound, "no such link: %d; the document has %d", n, i)
}
