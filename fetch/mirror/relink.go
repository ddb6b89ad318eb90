package mirror

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// relink leads the links of pages and menus to local copies, now that it is known which there are. What has no local copy is called by its
// whole URI.
func (m *mirror) relink(ctx context.Context) error {
	if m.options.KeepLinks {
		return nil
	}
	for r, err := range m.manifest.all() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && (r.Kind == Page || r.Kind == Menu) {
			err = m.relinkOne(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relinkOne always starts from the document as it came, and leaves that below .deref/original. The record says what is to become of
// the local copy before that is changed, so that a process which is killed leaves nothing that is not understood.
func (m *mirror) relinkOne(r Record) error {
	base, err := uri.Parse(r.URI)
	if err != nil || r.Kind == Menu && family(base.Scheme()) != "gopher" && !isGemtext(base) {
		return err
	}
	write := func(w io.Writer) error { return m.relinked(w, &r, base) }
	sum, err := hashOf(write)
	switch {
	case isMissing(err), isTooLong(err):
		return nil // somebody has removed it, and the next Run fetches it anew; or it is no page
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

// restore undoes what is not needed any more.
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

// relinked writes a page or menu with other links.
func (m *mirror) relinked(w io.Writer, r *Record, base uri.URI) error {
	f, err := m.openOriginal(r.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	p := &relinker{mirror: m, at: r.Path, base: base}
	switch {
	case r.Kind == Menu && isGemtext(base):
		return links.RewriteGemtext(w, f, base, uri.RFC3986, p.to)
	case r.Kind == Menu:
		return m.relinkMenu(w, f, base)
	}
	return links.Rewrite(w, f, base, uri.RFC3986, p.to)
}

// isGemtext reports whether the menus of u's scheme are lines of text/gemini.
func isGemtext(u uri.URI) bool {
	switch u.Scheme() {
	case "gemini", "spartan", "nex":
		return true
	}
	return false
}

// A relinker is asked about the links of one page.
type relinker struct {
	*mirror
	at    string // its path
	base  uri.URI
	based bool // the page names a base, by which a browser would look for its local links
}

func (p *relinker) to(l links.Link) (string, bool) {
	ref, err := uri.Parse(l.Ref)
	switch {
	case err != nil:
		return "", false
	case l.Element == "base":
		p.based = l.Ref != ""
		return "", p.based
	case !ref.IsAbs() && family(p.base.Scheme()) == "gopher", ref.WithoutFragment().IsZero() && !p.based:
		return "", false // within the page, or nowhere
	}
	target, ok := "", false
	if isRetrieved(l) {
		target, ok = p.local(l.URI)
	}
	switch {
	case !ok:
		return l.URI.String(), !ref.IsAbs()
	case !p.based && p.leads(ref, target):
		return "", false
	}
	new := relative(p.at, target)
	if f, has := l.URI.Fragment(); has {
		new += "#" + string(f)
	}
	return new, true
}

// leads reports whether a reference leads to the local copy as it is.
func (p *relinker) leads(ref uri.URI, target string) bool {
	if _, has := ref.Authority(); has || ref.IsAbs() || strings.HasPrefix(string(ref.Path()), "/") {
		return false
	}
	return localURI(p.at).Resolve(ref).WithoutFragment().Normalize() == localURI(target).Normalize()
}

// localURI is the URI of a local copy in a world where the mirror's top is the root.
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

// relative is the reference that leads from one local copy to another.
func relative(from, to string) string {
	f, t := strings.Split(from, "/"), strings.Split(to, "/")
	for len(f) > 1 && len(t) > 1 && f[0] == t[0] {
		f, t = f[1:], t[1:]
	}
	return strings.Repeat("../", len(f)-1) + escaped(t)
}

// maxAliases bounds how many URIs may lead to each other.
const maxAliases = 10

// local finds the local copy of what u names.
func (m *mirror) local(u uri.URI) (at string, ok bool) {
	u = m.canonical(u)
	k := key(u)
	for range maxAliases {
		r, ok, err := m.manifest.byURI(k)
		switch {
		case err != nil:
			return "", false
		case ok && r.Kind == Alias:
			k = r.To
			continue
		case ok && r.isDocument():
			return r.Path, true
		}
		break
	}
	p := m.placeOf(u)
	if p.name != "" || m.options.NoIndex {
		return "", false
	}
	r, ok, err := m.manifest.byURI(m.folderKey(p.folders))
	return path.Join(r.Path, indexFile), ok && err == nil
}

// relinkMenu makes the items of a menu of gopher that are here lead to the local copies: a selector without a host is that of the server
// which shows the menu, so any server of gophermaps will show the mirror.
func (m *mirror) relinkMenu(w io.Writer, r io.Reader, base uri.URI) error {
	in, out := bufio.NewReaderSize(r, 64<<10), bufio.NewWriter(w)
	for {
		line, err := in.ReadString('\n')
		out.WriteString(m.relinkItem(line, base)) // Flush tells
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err != nil {
			return fetch.Errorf(fetch.ErrDisk, "%w", err)
		}
	}
}

func (m *mirror) relinkItem(line string, base uri.URI) string {
	item := strings.TrimRight(line, "\r\n")
	for l, err := range links.Gopher(strings.NewReader(item)) {
		if err != nil {
			break
		}
		at, ok := m.local(secured(base, l.URI))
		if !ok {
			break
		}
		name, _, _ := strings.Cut(item, "\t")
		return name + "\t/" + strings.TrimSuffix(strings.TrimSuffix(at, "gophermap"), "/") + line[len(item):]
	}
	return line
}
