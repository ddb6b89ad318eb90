package gophertest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// about writes the attribute blocks of an item: all, or those named in want
// ("+VIEWS+ABSTRACT"). INFO is always there, and comes first.
func (s *Server) about(name string, fi fs.FileInfo, here place, want string) string {
	it := s.item(name, fi)
	if name == "." {
		it.Name, it.Selector = "Main menu", "/"
	}
	return s.aboutItem(it, name, fi, here, want)
}

// aboutItem is about with the line that a menu has for the item.
func (s *Server) aboutItem(it Item, name string, fi fs.FileInfo, here place, want string) string {
	var b strings.Builder
	b.WriteString("+INFO: " + s.line(it, here.host, here.port))
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
	if s.asks(name) {
		questions, _ := s.form(name)
		add("+ASK", strings.Join(questions, "\n")+"\n")
	}
	return b.String()
}

// viewLines are the lines of +VIEWS.
func (s *Server) viewLines(name string, fi fs.FileInfo) string {
	if fi.IsDir() {
		return "application/gopher+-menu:\n"
	}
	var b strings.Builder
	for _, v := range s.views(name) {
		fmt.Fprintf(&b, "%s: <%s>\n", v.label(), size(v.size))
	}
	return b.String()
}

// aboutAll writes the blocks of every item in a menu that is this server's.
func (s *Server) aboutAll(dir string, here place, want string) string {
	items, err := s.folder(dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, it := range items {
		name := inFS(it.Selector)
		fi, err := fs.Stat(s.fsys, name)
		if it.Host != "" || err != nil || strings.HasPrefix(it.Selector, "URL:") {
			b.WriteString("+INFO: " + s.line(it, here.host, here.port))
			continue
		}
		if it.Plus == "" {
			it.Plus = s.item(name, fi).Plus
		}
		b.WriteString(s.aboutItem(it, name, fi, here, want))
	}
	return b.String()
}

// modTime gives a date also to a file without one (embed.FS has none): the
// month in which RFC 1436 came out.
func modTime(fi fs.FileInfo) time.Time {
	if t := fi.ModTime(); !t.IsZero() {
		return t.UTC()
	}
	return time.Date(1993, time.March, 1, 12, 0, 0, 0, time.UTC)
}

// size is in kilobytes, as the authors' examples have it; rounded up.
func size(n int64) string { return fmt.Sprintf("%dk", (n+1023)/1024) }

// view is one representation of an item.
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

// views are the files beside an item that have the same name before the first
// dot: greeting.txt, greeting.de.txt, greeting.html. The item itself comes first.
func (s *Server) views(name string) []view {
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
		v := view{typ: mediaType(m.Name()), lang: language(m.Name()), file: path.Join(dir, m.Name()), size: fi.Size()}
		if m.Name() == base {
			out = append([]view{v}, out...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// mediaType is the type in +VIEWS.
func mediaType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".txt", ".md", ".ask", "":
		return "text/plain"
	case ".html", ".htm":
		return "text/html"
	case ".gif":
		return "image/gif"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".ps":
		return "application/postscript"
	case ".pdf":
		return "application/pdf"
	case ".eml":
		return "message/rfc822"
	}
	return "application/octet-stream"
}

// language reads the middle of name.de.txt as Gopher+ writes it: De_DE.
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
