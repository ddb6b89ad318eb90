package mirror

import (
	"errors"
	"io"
	"strings"

	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
	"example.org/deref/uri/markup"
)

// links visits the links of a saved page, or of a menu in text/gemini.
func (v *visit) links(r *Record) error {
	f, err := v.openOriginal(r.Path)
	if err != nil {
		return diskError(err)
	}
	defer f.Close()
	return diskError(v.pageLinks(f, r.rewriter(v.uri), r.contentType(), v.uri))
}

// pageLinks visits the links of a page, a style sheet or an SVG document: those that relink changes.
func (v *visit) pageLinks(r io.Reader, rewrite links.Rewriter, contentType string, base uri.URI) error {
	text, in, err := charset.Page(r, contentType, base)
	if err != nil {
		return err
	}
	var failed error
	err = rewrite(io.Discard, text, in, nil, func(l links.Link) (string, bool) {
		if failed == nil && l.URI.IsAbs() && l.IsDocument() && !v.isListed(l) {
			failed = v.add(l.URI, v.noteOf(l))
		}
		return "", false
	})
	switch {
	case failed != nil:
	case isTooLong(err):
		v.report(Event{URI: v.uri, Did: LeftOut, Why: outLong, Warn: true})
	default:
		failed = err
	}
	return failed
}

// noteOf returns what is known of the target of a link.
func (v *visit) noteOf(l links.Link) note {
	n := note{Depth: v.note.Depth + 1, Sheet: isSheet(l)}
	if l.Embedded && v.options.Requisites {
		n.Within = v.note.Within + 1
	}
	return n
}

// isListed reports whether the server's listings or menus know the target of a link better than the page that contains it. In gopher, where
// a selector is not a path, a relative link refers to nothing.
func (v *visit) isListed(l links.Link) bool {
	switch {
	case isTree(v.uri.Scheme()):
		isOutside := v.options.Requisites && l.Embedded && v.isElsewhere(v.canonical(l.URI))
		return serverOf(l.URI) == v.server && !isOutside
	case family(v.uri.Scheme()) == "gopher":
		ref, err := uri.Parse(l.Ref)
		return err != nil || !ref.IsAbs()
	}
	return false
}

// items visits the links of a saved gopher menu.
func (v *visit) items() error {
	f, err := v.openOriginal(v.record.Path)
	if err != nil {
		return diskError(err)
	}
	defer f.Close()
	for e, err := range menuEntries(f, "", v.uri) {
		if err == nil {
			err = v.add(e.URI, note{Depth: v.note.Depth + 1})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// secured changes links to the menu's own server to TLS if the menu was received by TLS, since a menu cannot express that.
func secured(base, u uri.URI) uri.URI {
	if base.Scheme() != "gophers" || u.Scheme() != "gopher" {
		return u
	}
	s, err := uri.Parse("gophers" + strings.TrimPrefix(u.String(), "gopher"))
	if err != nil || s.PortNumber(70) != base.PortNumber(70) || !strings.EqualFold(s.Hostname(), base.Hostname()) {
		return u
	}
	return s
}

// isTooLong reports whether a tag is longer than those of real pages, so that what follows it was not read.
func isTooLong(err error) bool {
	_, is := errors.AsType[*markup.LimitError](err)
	return is
}
