package gophertest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mediatype"
)

// about returns the attribute blocks of an item: all, or those in want ("+VIEWS+ABSTRACT"). INFO is always included, as the first.
func (s *server) about(name string, fi fs.FileInfo, here place, want string) string {
	it := s.item(name, fi)
	if name == "." {
		it.Name, it.Selector = "Main menu", "/"
	}
	return s.aboutItem(it, name, fi, here, want)
}

// aboutItem is about with the item of a menu.
func (s *server) aboutItem(it Item, name string, fi fs.FileInfo, here place, want string) string {
	var b strings.Builder
	b.WriteString("+INFO: " + s.line(it, here))
	add := func(attr, lines string) {
		if lines != "" && (want == "" || strings.Contains(want+"+", attr+"+")) {
			b.WriteString(attr + ":\r\n")
			for l := range strings.Lines(lines) {
				b.WriteString(" " + strings.TrimRight(l, "\r\n") + "\r\n")
			}
		}
	}
	mod := modTime(fi)
	add("+ADMIN", fmt.Sprintf("Admin: %s\nMod-Date: %s <%s>\n", admin, mod.Format(time.ANSIC), mod.Format("20060102150405")))
	add("+VIEWS", s.viewLines(name, fi))
	if p, err := loopback.ReadFile(s.fsys, name+".abstract"); err == nil {
		add("+ABSTRACT", string(p))
	}
	if asks(name) {
		questions, _ := s.form(name)
		add("+ASK", strings.Join(questions, "\n")+"\n")
	}
	return b.String()
}

// viewLines returns the lines of +VIEWS.
func (s *server) viewLines(name string, fi fs.FileInfo) string {
	if fi.IsDir() {
		return "application/gopher+-menu:\n"
	}
	var b strings.Builder
	for _, v := range s.views(name) {
		fmt.Fprintf(&b, "%s: <%s>\n", v.label(), size(v.size))
	}
	return b.String()
}

// aboutAll returns the blocks of all items in a menu that are on this server.
func (s *server) aboutAll(dir string, here place, want string) string {
	items, err := s.directory(dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, it := range items {
		name := inFS(it.Selector)
		fi, err := fs.Stat(s.fsys, name)
		if it.Host != "" || err != nil || strings.HasPrefix(it.Selector, "URL:") {
			b.WriteString("+INFO: " + s.line(it, here))
			continue
		}
		if it.Plus == "" {
			it.Plus = s.item(name, fi).Plus
		}
		b.WriteString(s.aboutItem(it, name, fi, here, want))
	}
	return b.String()
}

// modTime returns the date of a file. If it has none (as in embed.FS), modTime returns the month in which RFC 1436 was published.
func modTime(fi fs.FileInfo) time.Time {
	if t := fi.ModTime(); !t.IsZero() {
		return t.UTC()
	}
	return time.Date(1993, time.March, 1, 12, 0, 0, 0, time.UTC)
}

// size returns a size in kilobytes, as in the examples of the authors, rounded up.
func size(n int64) string { return fmt.Sprintf("%dk", (n+1023)/1024) }

// A view is one representation of an item.
type view struct {
	typ, lang string
	file      string
	size      int64
}

func (v view) label() string {
	if v.lang == "" {
		return v.typ
	}
	return v.typ + " " + v.lang
}

// views returns the files that have the same name as an item before the first dot: greeting.txt, greeting.de.txt, greeting.html. The item
// itself is the first.
func (s *server) views(name string) []view {
	dir, base := path.Split(name)
	stem, _, _ := strings.Cut(base, ".")
	list, _ := fs.ReadDir(s.fsys, path.Clean("./"+dir))
	var out []view
	for _, m := range list {
		same, _, _ := strings.Cut(m.Name(), ".")
		fi, err := m.Info()
		if err != nil || same != stem || !fi.Mode().IsRegular() || !isMember(m.Name()) {
			continue
		}
		v := view{typ: viewType(m.Name()), lang: language(m.Name()), file: path.Join(dir, m.Name()), size: fi.Size()}
		if m.Name() == base {
			out = append([]view{v}, out...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// viewType returns the media type in +VIEWS. Forms and names without a suffix are texts.
func viewType(name string) string {
	if ext := path.Ext(name); ext == "" || ext == ".ask" || ext == ".md" {
		return "text/plain"
	}
	return mediatype.OfFile(name)
}

// language returns the language of name.de.txt in the form of Gopher+: De_DE.
func language(name string) string {
	parts := strings.Split(name, ".")
	if len(parts) != 3 {
		return ""
	}
	switch parts[1] {
	case "en":
		return "En_US"
	case "de":
		return "De_DE"
	case "fr":
		return "Fr_FR"
	case "es":
		return "Es_ES"
	}
	return ""
}
