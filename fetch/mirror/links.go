package mirror

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// links takes up what a page of HTML that is here leads to.
func (v *visit) links(at string) error {
	f, err := v.openOriginal(at)
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	defer f.Close()
	return v.pageLinks(f, v.uri)
}

// pageLinks takes up what a page of HTML leads to.
func (v *visit) pageLinks(r io.Reader, base uri.URI) error {
	for l, err := range links.HTML(r, base, uri.RFC3986) {
		switch {
		case err != nil && l == links.Link{}:
			if isTooLong(err) {
				return nil
			}
			return err
		case err != nil || !l.URI.IsAbs() || l.Element == "base" || !isRetrieved(l), v.isListed(l):
			continue
		}
		if err := v.add(l.URI, note{Depth: v.note.Depth + 1}); err != nil {
			return err
		}
	}
	return nil
}

// isRetrieved tells references to documents from those that ask for something to be done.
func isRetrieved(l links.Link) bool {
	switch l.Attribute {
	case "action", "formaction", "ping", "profile", "classid", "codebase":
		return false
	}
	return true
}

// isListed reports whether the listings or menus of a server know better where a reference leads than the page in which it stands: in
// gopher, where a selector is no path, a relative one leads nowhere.
func (v *visit) isListed(l links.Link) bool {
	switch {
	case isTree(v.uri.Scheme()):
		return serverOf(l.URI) == v.server
	case family(v.uri.Scheme()) == "gopher":
		ref, err := uri.Parse(l.Ref)
		return err != nil || !ref.IsAbs()
	}
	return false
}

// items takes up what a menu that is here leads to.
func (v *visit) items() error {
	f, err := v.openOriginal(v.record.Path)
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	defer f.Close()
	list := links.Gopher(f)
	if isGemtext(v.uri) {
		list = links.Gemtext(f, v.uri, uri.RFC3986)
	}
	for l, err := range list {
		switch {
		case err != nil && l == links.Link{}:
			return err
		case err != nil:
			continue
		}
		if err := v.add(secured(v.uri, l.URI), note{Depth: v.note.Depth + 1}); err != nil {
			return err
		}
	}
	return nil
}

// secured keeps to TLS on the server that a menu came from: a menu has no way to say so.
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

// isTooLong tells a tag of a length that no page has: what stands behind it is none either.
func isTooLong(err error) bool { return errors.Is(err, html.ErrBufferExceeded) }
