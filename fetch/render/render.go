// Package render makes views of documents: text for people, HTML, JSON Lines and lists of URIs of anything with entries
// (listings, menus, overviews, search results), and text out of documents in old charsets.
//
//	err := render.View(os.Stdout, d, render.Text, &render.Options{Terminal: true})
//
// Views are written while the document is read: a listing of ten million lines takes no more memory than one of ten. What
// servers say is foreign text. Terminal and Escape keep its control sequences from a terminal, and the HTML view keeps its
// markup and scripts from a browser.
//
// HTML pages become text by package htmltext, which is apart so that a program without that view does not link it.
package render

import (
	"io"
	"iter"
	"mime"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// A Format is a view by the word that `--format` knows it by.
type Format string

const (
	Raw     Format = "raw"      // the octets as they came
	Text    Format = "text"     // for people: entries numbered as Links numbers them; documents in UTF-8
	HTML    Format = "html"     // a page
	JSON    Format = "json"     // JSON Lines, one fetch.Entry a line; of a document without entries one Info
	URIList Format = "uri-list" // one absolute URI a line, each leading to exactly that object
	LDIF    Format = "ldif"     // the entries of a directory (RFC 2849)
)

// Formats lists the words.
func Formats() []Format { return []Format{Raw, Text, HTML, JSON, URIList, LDIF} }

// Options are the wishes of a view; nil means the zero value.
type Options struct {
	Terminal bool   // the output is a terminal: foreign text goes through the filter, binary is refused
	Width    int    // columns of running text, 0 is 78
	Title    string // of the HTML view; "" is the URI
	Inner    bool   // only what the HTML view has within its main part, for a page of the caller's
	// Href gives the reference that a link of the HTML view has; "" makes it text. nil is the URI itself, unless it is one that
	// runs a program in the reader's browser.
	Href func(uri.URI) string
	// Foreign copies an HTML page of others into a frame within ours, by foreign.Write; images says whether its images may be loaded,
	// which those of a message may not. nil shows its source.
	Foreign func(w io.Writer, r io.Reader, base uri.URI, href func(uri.URI) string, images bool) error
	// Part gives the reference to a part of a message that is shown, by number. nil gives none.
	Part func(n int) string
	// Page makes text of an HTML page: htmltext.Render. nil shows the source.
	Page func(w io.Writer, r io.Reader, base uri.URI, width int) error
}

const defaultWidth = 78

func (o *Options) width() int {
	if o.Width > 0 {
		return o.Width
	}
	return defaultWidth
}

// View writes a view of d, consuming it but not closing it. A view that a document cannot have is fetch.ErrUnsupported.
func View(w io.Writer, d *fetch.Document, f Format, o *Options) error {
	if o == nil {
		o = &Options{}
	}
	if o.Terminal {
		t := NewTerminal(w)
		err := write(t, d, f, o)
		if ferr := t.Flush(); err == nil {
			err = ferr
		}
		return err
	}
	return write(w, d, f, o)
}

// write is View where everything may be written. There is nothing in any view that is not foreign.
func write(w io.Writer, d *fetch.Document, f Format, o *Options) error {
	if f != Raw && f != "" {
		list(d)
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
	return fetch.Errorf(fetch.ErrUnsupported, "there is no view %q", string(f))
}

// rawView copies the octets; on a terminal, as any other view, if they are text.
func rawView(w io.Writer, d *fetch.Document, o *Options) error {
	r := io.Reader(d.Body)
	if o.Terminal {
		var err error
		if _, r, err = textHead(d); err != nil {
			return err
		}
	}
	_, err := io.Copy(w, r)
	return err
}

// Links yields the entries of d that lead somewhere: the Nth is what the text view numbers N. Those of an HTML page are found by
// page, which is htmltext.Links; nil finds none.
func Links(d *fetch.Document, page func(r io.Reader, base uri.URI) iter.Seq2[fetch.Entry, error]) iter.Seq2[fetch.Entry, error] {
	list(d)
	return func(yield func(fetch.Entry, error) bool) {
		seq := d.Entries
		if seq == nil {
			if page == nil || !isHTML(d.Type) {
				return
			}
			body, err := decoded(d)
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			seq = page(body, d.Base)
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

// Link returns the Nth of links, from 1.
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
	return fetch.Entry{}, fetch.Errorf(fetch.ErrNotFound, "there is no link %d among the %d of this document", n, i)
}

// mediaType splits the type of d.
func mediaType(t string) (kind string, params map[string]string) {
	kind, params, err := mime.ParseMediaType(t)
	if err != nil {
		kind = mediatype.Essence(t)
	}
	return kind, params
}

// listed reports whether people are shown the entries of d. A message is a text for them, and the screen of a 3270 a picture, although
// they have entries.
func listed(d *fetch.Document) bool {
	kind, _ := mediaType(d.Type)
	return d.Entries != nil && !isMessage(d.Type) && kind != "text/x-tn3270"
}

func isHTML(t string) bool {
	kind, _ := mediaType(t)
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// trouble makes writes after an error harmless, so that views are written without looking at every one.
type trouble struct {
	w   io.Writer
	err error
}

func (t *trouble) Write(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.w.Write(p)
	t.err = err
	return n, err
}
