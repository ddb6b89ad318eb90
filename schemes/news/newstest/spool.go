package newstest

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch/mimemail"
)

// A spool holds the articles of the server.
type spool struct {
	groups map[string]*group
	byID   map[string]*article
}

type group struct {
	name, about string
	numbers     []int64 // ascending
	by          map[int64]*article
	high        int64
}

type article struct {
	id   string // with brackets
	raw  []byte // with CRLF
	body int    // offset of the body
	xref string // " group:number" for each group

	header mimemail.Header
}

// readSpool reads a group from each directory, named after it or its path ("comp/lang/c"), and an article from each file whose name is a
// number. newsgroups.txt contains the descriptions.
func readSpool(fsys fs.FS) (*spool, error) {
	s := &spool{groups: map[string]*group{}, byID: map[string]*article{}}
	if fsys == nil {
		return s, nil
	}
	root := "."
	if fi, err := fs.Stat(fsys, "news"); err == nil && fi.IsDir() {
		root = "news"
	}
	err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		dir := strings.Trim(strings.TrimPrefix(path.Dir(name), root), "/.")
		if dir == "" {
			return nil
		}
		g := s.group(strings.ReplaceAll(dir, "/", "."))
		n, err := strconv.ParseInt(d.Name(), 10, 64)
		if err != nil || n < 1 || !d.Type().IsRegular() {
			return nil
		}
		raw, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		s.put(g, n, parseArticle(raw))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, s.describe(fsys, path.Join(root, "newsgroups.txt"))
}

func (s *spool) describe(fsys fs.FS, name string) error {
	b, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		name, about, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if g := s.groups[name]; g != nil {
			g.about = strings.TrimSpace(about)
		}
	}
	return err
}

// group returns the group with a name, and creates it if necessary.
func (s *spool) group(name string) *group {
	g := s.groups[name]
	if g == nil {
		g = &group{name: name, by: map[int64]*article{}}
		s.groups[name] = g
	}
	return g
}

func (s *spool) put(g *group, n int64, a *article) {
	i, _ := slices.BinarySearch(g.numbers, n)
	g.numbers = slices.Insert(g.numbers, i, n)
	g.by[n], g.high = a, max(g.high, n)
	a.xref += " " + g.name + ":" + strconv.FormatInt(n, 10)
	if a.id != "" {
		s.byID[a.id] = a
	}
}

// add adds an article to its groups, and creates them if necessary.
func (s *spool) add(a *article) {
	for name := range strings.SplitSeq(a.header.Get("Newsgroups"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			g := s.group(name)
			s.put(g, g.high+1, a)
		}
	}
}

// cancel removes an article from a group: "group/number".
func (s *spool) cancel(name string) {
	group, number, _ := strings.Cut(name, "/")
	n, err := strconv.ParseInt(number, 10, 64)
	g := s.groups[group]
	if err != nil || g == nil || g.by[n] == nil {
		return
	}
	delete(s.byID, g.by[n].id)
	delete(g.by, n)
	g.numbers = slices.DeleteFunc(g.numbers, func(m int64) bool { return m == n })
}

func (g *group) low() int64 {
	if len(g.numbers) == 0 {
		return g.high + 1
	}
	return g.numbers[0]
}

// parseArticle parses a stored article, with LF or CRLF.
func parseArticle(raw []byte) *article {
	raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	if len(raw) > 0 && !bytes.HasSuffix(raw, []byte("\r\n")) {
		raw = append(raw, "\r\n"...)
	}
	a := &article{raw: raw, body: len(raw), header: mimemail.ParseHeader(raw)}
	if i := bytes.Index(raw, []byte("\r\n\r\n")); i >= 0 {
		a.body = i + 4
	}
	a.id = a.header.Get("Message-ID")
	return a
}

// lines counts the lines of the body.
func (a *article) lines() int { return bytes.Count(a.raw[a.body:], []byte("\n")) }

// about returns a field, or the metadata ":bytes" or ":lines".
func (a *article) about(name string) string {
	switch strings.ToLower(name) {
	case ":bytes":
		return strconv.Itoa(len(a.raw))
	case ":lines":
		return strconv.Itoa(a.lines())
	}
	return a.header.Get(name)
}
