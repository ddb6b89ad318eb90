package check

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// A Seq is the links of a document.
type Seq = iter.Seq2[Link, error]

// A Link is a reference in a document.
type Link struct {
	URI  uri.URI
	Ref  string // as written
	Line int
	Text string
	Err  error // why it is not a URI

	Action bool // it is not to a document, but where a form is sent, for example
}

// source adds the links of the document, or of the documents in the directory, that u refers to.
func (r *run) source(u uri.URI, depth int) error {
	d, err := get(r.ctx, r.client, u, r.options.Request)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return err
	}
	if u.Scheme() == "file" && d.Entries != nil {
		return r.dir(d, depth)
	}
	r.publish(d)
	return r.page(d, 1)
}

// page adds the links of a document, which are a number of steps from the sources.
func (r *run) page(d *fetch.Document, depth int) error {
	find := r.options.Links
	if find == nil {
		find = Links
	}
	for l, err := range find(d) {
		if other, ok := errors.AsType[ErrUnread](err); ok {
			r.unread(d.URI, other)
			return nil
		}
		if err != nil {
			return err
		}
		if l = r.rooted(l, d); !l.isPlace(d) {
			if err := r.add(l, Place{Source: d.URI, Line: l.Line, Text: shorten(l.Text)}, depth); err != nil {
				return err
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Pages++
	return nil
}

// unread reports a document that is not read.
func (r *run) unread(u uri.URI, why ErrUnread) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Unread++
	if r.options.Unread != nil {
		r.options.Unread(u, why)
	}
}

// isPlace reports whether the link refers to the document itself.
func (l Link) isPlace(d *fetch.Document) bool {
	return l.Err == nil && l.URI.String() == d.URI.WithoutFragment().String()
}

// shorten bounds the memory for titles.
func shorten(s string) string { return strings.ToValidUTF8(s[:min(len(s), 120)], "") }

// maxDepth bounds nested directories.
const maxDepth = 100

// dir adds the links of the pages and texts in a local directory, except hidden ones.
func (r *run) dir(d *fetch.Document, depth int) error {
	var inside []fetch.Entry
	for e, err := range d.Entries {
		if err != nil {
			return err
		}
		switch {
		case e.Title == IgnoreFile && e.Kind == fetch.KindFile:
			if err := r.readRules(e, d.URI); err != nil {
				return err
			}
		case strings.HasPrefix(e.Title, "."):
		case e.Kind == fetch.KindDir, e.Kind == fetch.KindFile && (e.Type == "" || e.Type == mediatype.Unknown || formatOf(mediatype.Essence(e.Type), e.Title).List != nil):
			inside = append(inside, e)
		case e.Kind == fetch.KindFile:
			r.unread(e.URI, ErrUnread{e.Type})
		}
	}
	d.Body.Close()
	if depth == 0 {
		r.top = strings.TrimSuffix(d.URI.String(), "/") + "/"
	}
	var first error
	for _, e := range inside {
		if e.Kind == fetch.KindDir && depth >= maxDepth || r.ignoredFile(e.URI, e.Kind == fetch.KindDir) {
			continue
		}
		first = cmp.Or(first, r.source(e.URI, depth+1))
	}
	return first
}

// Links yields the links of a document according to its media type: every reference of an HTML page, those of Markdown, AsciiDoc,
// style sheets, feeds and sitemaps, the lines of a text/uri-list, the entries of a menu, listing or gemtext, and in other text everything that looks
// like a URI. Lines that a comment with "deref-ignore" excludes have none. References are resolved against Base as browsers do (uri.Resolver), after
// the document is decoded. An error that stops the reading comes last: ErrUnread if the format has no known links.
func Links(d *fetch.Document) Seq {
	if d.Entries != nil {
		return entries(d)
	}
	return func(yield func(Link, error) bool) {
		f := formatOfDocument(d)
		if f.List == nil {
			yield(Link{}, ErrUnread{mediatype.Essence(d.Type)})
			return
		}
		body, in, err := decoded(d, f.Declares)
		if err != nil {
			yield(Link{}, err)
			return
		}
		lines := newIgnoring(body)
		for l, err := range fromLinks(f.List(lines, in)) {
			if other, ok := errors.AsType[links.ErrFormat](err); ok {
				err = ErrUnread{mediatype.Essence(d.Type) + ", " + other.Error()}
			}
			if err == nil && lines.ignores(l.Line) {
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// ErrUnread is the error of a document in a format that is not read for links.
type ErrUnread struct{ Format string }

func (e ErrUnread) Error() string { return "not read for links: " + e.Format }

// decoded returns the text of d and the Resolver for its references. Text whose encoding nothing declares stays bytes, which URIs can have: it may be
// a list of names of another system, and a wrong guess would change each name.
func decoded(d *fetch.Document, declares bool) (io.Reader, uri.Resolver, error) {
	beginning, all, err := charset.Peek(d.Body)
	if err != nil {
		return nil, uri.Resolver{}, err
	}
	if !declares && charset.LabelOf(d.ContentType()) == "" && d.Charset == "" && !hasMark(beginning) {
		return all, uri.Resolver{Base: d.Base}, nil
	}
	text, in := d.Source().Page(all, d.Base)
	return text, in, nil
}

// hasMark reports whether a text begins with a byte order mark.
func hasMark(beginning []byte) bool {
	return bytes.HasPrefix(beginning, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(beginning, []byte("\xfe\xff")) || bytes.HasPrefix(beginning, []byte("\xff\xfe"))
}

// entries yields the targets of a listing.
func entries(d *fetch.Document) Seq {
	return func(yield func(Link, error) bool) {
		for e, err := range d.Entries {
			if err != nil {
				yield(Link{}, err)
				return
			}
			if !e.URI.IsZero() && !yield(Link{URI: e.URI.ASCII(), Text: e.Title}, nil) {
				return
			}
		}
	}
}

// fromLinks converts the result of package links. An error with a reference belongs to that reference only.
func fromLinks(list iter.Seq2[links.Link, error]) Seq {
	return func(yield func(Link, error) bool) {
		for l, err := range list {
			if err != nil && l.Ref == "" {
				yield(Link{}, fetch.LimitError(err))
				return
			}
			if err != nil {
				err = fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
			}
			if !yield(Link{URI: l.URI, Ref: l.Ref, Line: l.Line, Text: l.Title, Err: err, Action: !l.IsDocument()}, nil) {
				return
			}
		}
	}
}
