package mirror

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// maxLinks bounds the links on the way to a target, as operating systems do.
const maxLinks = 40

// targetOf returns the URI of a listed symbolic link's target, or "" unless it is at or below the top of the mirror.
//
// QUIRK: an absolute target in ftp is below the root of the server's file system, and a URI is below the login directory (RFC 1738 section
// 3.2.2). The two may differ, so such links are fetched as documents.
func (v *visit) targetOf(e *fetch.Entry) string {
	target := e.Value("target")
	if !v.system.links || !isTree(v.uri.Scheme()) || target == "" {
		return ""
	}
	at := split(v.uri.Path()).dirs
	if strings.HasPrefix(target, "/") {
		if at = nil; v.uri.Scheme() != "file" {
			return ""
		}
	}
	at, ok := below(at, target)
	if !ok || len(at) < len(v.top) || !slices.Equal(at[:len(v.top)], v.top) {
		return ""
	}
	return v.keyOf(v.uri, at)
}

// below resolves a relative path. ok is false if it refers to something above the root.
func below(at []string, target string) (to []string, ok bool) {
	to = slices.Clone(at)
	for name := range strings.SplitSeq(target, "/") {
		switch {
		case name == "" || name == ".":
		case name == ".." && len(to) == 0:
			return nil, false
		case name == "..":
			to = to[:len(to)-1]
		default:
			to = append(to, name)
		}
	}
	return to, true
}

// keyOf returns the key of the URI with these segments on the server of near, or "".
func (m *mirror) keyOf(near uri.URI, segments []string) string {
	a, _ := near.Authority()
	var b strings.Builder
	b.WriteString(near.Scheme() + "://" + string(a))
	for _, s := range segments {
		part := uri.Segment
		if near.Scheme() != "file" {
			part = uri.FTPSegment
		}
		b.WriteString("/" + string(part.Escape(uri.RFC3986, s)))
	}
	if len(segments) == 0 {
		b.WriteString("/")
	}
	u, err := uri.Parse(b.String())
	if err != nil {
		return ""
	}
	return key(m.canonical(u))
}

// link records a symbolic link. It is created at the end, when its target has a local name.
func (v *visit) link() error {
	if !v.included(v.uri) {
		v.leaveOut(v.uri, scope.NotIncluded)
		return nil
	}
	if v.options.DryRun {
		v.report(Event{URI: v.uri, Did: Linked, Why: v.note.Target})
		return nil
	}
	r, err := v.claim(v.uri, "")
	if err != nil {
		return err
	}
	if err := v.forgetOriginal(r.Path); err != nil {
		return err
	}
	if fi, err := v.docs.Lstat(r.Path); err == nil && fi.Mode()&fs.ModeSymlink != 0 && r.Kind == Link && r.To == v.note.Target {
		return nil
	}
	return v.manifest.add(Record{URI: r.URI, Path: r.Path, Kind: Link, To: v.note.Target, Time: v.now()})
}

// makeLinks creates the symbolic links of the pass, and reports those without a target. It also updates links of earlier passes.
func (m *mirror) makeLinks(ctx context.Context) error {
	if !m.system.links {
		return nil
	}
	return m.manifest.eachOf(ctx, m.makeLink, Link)
}

func (m *mirror) makeLink(r Record) error {
	u, err := uri.Parse(r.URI)
	if err != nil || m.whyNot(u, note{}) != "" {
		return nil
	}
	to, why := m.resolve(&r)
	if fi, err := m.docs.Lstat(r.Path); err == nil && fi.IsDir() { // created by another program
		to, why = "", outTaken
	}
	dir, name := path.Split(r.Path)
	f, done, err := m.openDir(dir)
	if err != nil {
		return err
	}
	defer done()
	if to != "" {
		to = relativePath(path.Dir(r.Path), to)
	}
	switch made, err := f.Link(name, to); {
	case err != nil:
		return err
	case why != "":
		m.report(Event{URI: u, Did: LeftOut, Why: why, Warn: true})
	case made:
		m.report(Event{URI: u, Path: r.Path, Did: Linked, Why: to})
	default:
		m.report(Event{URI: u, Path: r.Path, Did: Unchanged})
	}
	return nil
}

// resolve finds the local copy that a link refers to, possibly through other links; why is the reason if there is none.
func (m *mirror) resolve(r *Record) (at, why string) {
	near, err := uri.Parse(r.To)
	if err != nil {
		return "", outNothing
	}
	path := segmentsOf(near)
	for links, i := 0, len(m.top); i <= len(path); {
		k := m.keyOf(near, path[:i])
		step, ok, err := m.manifest.byURI(k)
		if err != nil {
			return "", outNothing
		}
		if ok && step.Kind == Link && i > len(m.top) {
			to, err := uri.Parse(step.To)
			if links++; links > maxLinks || err != nil {
				return "", outNothing
			}
			path, i = append(segmentsOf(to), path[i:]...), len(m.top)
			continue
		}
		if i == len(path) {
			return m.copyOf(&step, ok, path)
		}
		i++
	}
	return "", outNothing
}

// copyOf returns the local path of a document or directory of the server, whose record is r if ok.
func (m *mirror) copyOf(r *Record, ok bool, segments []string) (at, why string) {
	if ok && r.isDocument() {
		if m.intact(r) {
			return r.Path, ""
		}
		return "", outNoCopy
	}
	if len(segments) == len(m.top) {
		return ".", ""
	}
	dir, ok, err := m.manifest.byURI(m.dirKey(segments[len(m.top):]))
	if err != nil || !ok {
		return "", outNothing
	}
	if fi, err := m.docs.Lstat(dir.Path); err != nil || !fi.IsDir() || !m.isDirect(dir.Path) {
		return "", outNoCopy
	}
	return dir.Path, ""
}

// segmentsOf returns the names in the path of a link's target.
func segmentsOf(u uri.URI) []string {
	p := split(u.Path())
	if p.name == "" {
		return p.dirs
	}
	return append(p.dirs, p.name)
}

// relativePath returns the relative path from a directory to a path.
func relativePath(from, to string) string {
	rel, _ := filepath.Rel(from, to) // both begin at the mirror's top
	return filepath.ToSlash(rel)
}

// isDangling reports whether err is that of a server's dangling symbolic link.
func (v *visit) isDangling(err error) bool {
	return v.note.Kind == fetch.KindLink && isTree(v.uri.Scheme()) && fetch.KindOf(err) == fetch.ErrNotFound
}
