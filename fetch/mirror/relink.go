package mirror

import (
	"cmp"
	"context"
	"io"
	"path"
	"strings"

	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// relink changes the links of pages and menus to refer to local copies, now that all copies exist. Links without a local copy become
// absolute.
func (m *mirror) relink(ctx context.Context) error {
	if m.options.KeepLinks {
		return nil
	}
	return m.manifest.eachOf(ctx, m.relinkOne, Page, Menu)
}

// relinkOne always starts from the original document, and keeps that below .deref/original. The record is updated before the local copy, so
// that a killed process leaves nothing that a later Run misunderstands.
func (m *mirror) relinkOne(r Record) error {
	base, err := uri.Parse(r.URI)
	if err != nil || r.Kind == Menu && family(base.Scheme()) != "gopher" && !isGemtext(base) {
		return err
	}
	sum, write, err := rendered(func(w io.Writer) error { return m.relinked(w, &r, base) })
	switch {
	case isMissing(err), isTooLong(err):
		return nil // it was removed, and the next Run fetches it again; or it is not a page
	case err != nil:
		return err
	case sum == r.SHA256 && r.Local == "":
		return nil
	case sum == r.SHA256:
		return m.restore(r, write)
	}
	if err := m.keepOriginal(r.Path); err != nil {
		return err
	}
	if r.Local != sum {
		r.Local = sum
		if err := m.manifest.add(r); err != nil {
			return err
		}
	}
	return m.put(r.Path, sum, write)
}

// restore restores the original if its links need no change any more.
func (m *mirror) restore(r Record, write func(io.Writer) error) error {
	if err := m.put(r.Path, r.SHA256, write); err != nil {
		return err
	}
	r.Local = ""
	if err := m.manifest.add(r); err != nil {
		return err
	}
	return m.forgetOriginal(r.Path)
}

// relinked writes a page or menu with the new links.
func (m *mirror) relinked(w io.Writer, r *Record, base uri.URI) error {
	f, err := m.openOriginal(r.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	p := &relinker{mirror: m, at: r.Path, base: base, unlabeled: r.Charset != ""}
	if r.Kind == Menu && !isGemtext(base) {
		return m.relinkMenu(w, f, base)
	}
	return inEncoding(w, f, r.contentType(), base, r.rewriter(base), p.rewrite)
}

// isGemtext reports whether the menus of u's scheme are text/gemini.
func isGemtext(u uri.URI) bool {
	switch u.Scheme() {
	case "gemini", "spartan", "nex":
		return true
	}
	return false
}

// A relinker rewrites the links of one page.
type relinker struct {
	*mirror
	at    string // path of the page
	base  uri.URI
	based bool // the page has a base element, which browsers would apply to local links

	unlabeled bool // only the server's header has named the encoding, which a browser does not see in a local copy
}

// rewrite returns the new reference for a link. It returns false if the link stays.
func (p *relinker) rewrite(l links.Link) (string, bool) {
	ref, err := uri.Parse(l.Ref)
	switch {
	case err != nil:
		return "", false
	case l.Element == "base":
		p.based = l.Ref != ""
		return "", p.based
	case !ref.IsAbs() && family(p.base.Scheme()) == "gopher", ref.WithoutFragment().IsZero() && !p.based:
		return "", false // within the page, or without a target
	}
	target, fragment, ok := "", "", false
	if l.IsDocument() {
		target, fragment, ok = p.local(l.URI)
	}
	switch {
	case !ok:
		return l.URI.String(), !ref.IsAbs()
	case !p.based && !(p.unlabeled && ref != ref.ASCII()) && fragment == "" && p.resolvesTo(ref, target):
		return l.Ref, l.Embedded // Rewrite must know that it is local
	}
	new := relative(p.at, target)
	if f, has := l.URI.Fragment(); has { // RFC 9110 section 10.2.2
		fragment = string(f)
	}
	if fragment != "" {
		new += "#" + fragment
	}
	return new, true
}

// resolvesTo reports whether a reference already resolves to the local copy.
func (p *relinker) resolvesTo(ref uri.URI, target string) bool {
	if _, has := ref.Authority(); has || ref.IsAbs() || strings.HasPrefix(string(ref.Path()), "/") {
		return false
	}
	return localURI(p.at).Resolve(ref).WithoutFragment().Normalize() == localURI(target).Normalize()
}

// localURI returns the URI of a local copy as if the mirror's top were the root directory.
func localURI(at string) uri.URI {
	u, _ := uri.Parse("file:///" + escaped(strings.Split(at, "/")))
	return u
}

func escaped(segments []string) string {
	var b strings.Builder
	for i, s := range segments {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(string(uri.FirstSegment.Escape(uri.RFC3986, s)))
	}
	return b.String()
}

// relative returns the relative reference from one local copy to another.
func relative(from, to string) string {
	return escaped(strings.Split(relativePath(path.Dir(from), to), "/"))
}

// maxAliases bounds a chain of Aliases.
const maxAliases = 10

// local returns the path of the local copy of u, and the fragment to which u redirects.
func (m *mirror) local(u uri.URI) (at, fragment string, ok bool) {
	u = m.canonical(u)
	k := key(u)
	for range maxAliases {
		r, ok, err := m.manifest.byURI(k)
		switch {
		case err != nil:
			return "", "", false
		case ok && r.Kind == Alias:
			k, fragment = r.To, cmp.Or(r.Fragment, fragment)
			continue
		case ok && r.isDocument():
			return r.Path, fragment, true
		}
		break
	}
	p := m.placeOf(u)
	if p.name != "" || m.options.NoIndex {
		return "", "", false
	}
	r, ok, err := m.manifest.byURI(m.dirKey(p.dirs))
	return path.Join(r.Path, indexFile), fragment, ok && err == nil
}

// relinkMenu changes the items of a gopher menu to refer to local copies. A selector without a host refers to the server that shows the
// menu, so any server for gophermaps can show the mirror.
func (m *mirror) relinkMenu(w io.Writer, r io.Reader, base uri.URI) error {
	return diskError(links.RewriteLines(w, r, func(line string) string { return m.relinkItem(line, base) }))
}

func (m *mirror) relinkItem(line string, base uri.URI) string {
	item := strings.TrimRight(line, "\r\n")
	for l, err := range links.Gopher(strings.NewReader(item)) {
		if err != nil {
			break
		}
		at, _, ok := m.local(secured(base, l.URI))
		if !ok {
			break
		}
		if path.Base(at) == "gophermap" {
			at = strings.TrimPrefix(path.Dir(at), ".")
		}
		name, _, _ := strings.Cut(item, "\t")
		return name + "\t/" + at + line[len(item):]
	}
	return line
}
