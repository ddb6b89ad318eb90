package fsview

import (
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// entriesOf returns the entries of a listing: those of the protocol, or the links of a page, because web servers list directories as HTML. It
// returns nil for other documents.
func entriesOf(d *fetch.Document) iter.Seq2[fetch.Entry, error] {
	switch {
	case d.Entries != nil:
		return d.Entries
	case mediatype.Essence(d.Type) == "text/html":
		return func(yield func(fetch.Entry, error) bool) {
			page, base := d.Source().Page(d.Body, d.URI)
			for l, err := range links.HTML(page, base) {
				err = fetch.LimitError(err)
				if l.Element != "a" && err == nil {
					continue
				}
				if !yield(fetch.Entry{URI: l.URI, Title: l.Title, Kind: fetch.KindLink, Size: -1}, err) || err != nil {
					return
				}
			}
		}
	}
	return nil
}

// isText reports whether the entries of a listing are links in a text: gemini, spartan, nex, and HTML. Other protocols say themselves what is
// a file and what is a directory.
func isText(d *fetch.Document) bool {
	switch mediatype.Essence(d.Type) {
	case "text/gemini", "text/html", "text/plain":
		return true
	}
	return false
}

// asMember makes a link to something directly below the listing at base a file or a directory. All other links stay what they are.
func (f *FS) asMember(base uri.URI, e fetch.Entry) fetch.Entry {
	_, query := e.URI.Query()
	if e.Kind != fetch.KindLink || query || !f.sameServer(base, e.URI) {
		return e
	}
	dir, _ := cutLast(base)
	rest, below := strings.CutPrefix(normalPath(e.URI), dir)
	name, slash := strings.CutSuffix(rest, "/")
	switch {
	case !below || name == "" || strings.Contains(name, "/"):
		return e
	case slash:
		e.Kind = fetch.KindDir
	default:
		e.Kind = fetch.KindFile
	}
	e.Title, e.URI = "", e.URI.WithoutFragment() // the title is prose; its name is in the URI
	return e
}

// isUp reports whether e refers to the listing at base itself, or to one above it, which a walk would visit for ever.
func (f *FS) isUp(base uri.URI, e fetch.Entry, text bool) bool {
	if title := strings.TrimSpace(e.Title); title == "." || title == ".." {
		return true // QUIRK: gophernicus 3.1.1 lists the parent, with blanks after its two dots (observed)
	}
	if !f.sameServer(base, e.URI) || e.URI.Path() == "" {
		return false
	}
	here, there := strings.TrimRight(normalPath(base), "/"), strings.TrimRight(normalPath(e.URI), "/")
	if here == there {
		q, _ := base.Query()
		other, _ := e.URI.Query()
		return q == other || text // the sort orders of an index have a query
	}
	return strings.HasPrefix(here, there+"/")
}

func normalPath(u uri.URI) string { return string(u.Normalize().Path()) }

// cutLast splits the normalized path of u after its last slash.
func cutLast(u uri.URI) (dir, name string) {
	p := normalPath(u)
	i := strings.LastIndexByte(p, '/') + 1
	return p[:i], p[i:]
}
