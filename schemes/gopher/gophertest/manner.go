package gophertest

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The differences of the two real servers were observed with the sample site (gophernicus 3.1.1 and pygopherd 3.0.0-git of Debian 12).

// footer returns the end of gophernicus's menus and errors.
func footer() []string {
	return []string{strings.Repeat("_", 67), "                 Gophered by Gophernicus/3.1.1 on Debian/12 x86_64"}
}

// plainError sends an error in the form of a document, as gophernicus does.
func plainError(w io.Writer, text string) {
	io.WriteString(w, "Error: "+text+"\r\n"+strings.Join(footer(), "\r\n")+"\r\n")
}

// decorate orders the members of a directory, and adds a link to its parent, as the manner requires.
func (s *server) decorate(dir string, items []Item) []Item {
	if s.o.Manner != Gophernicus {
		return items
	}
	slices.SortStableFunc(items, func(a, b Item) int { // directories first
		return strings.Compare(directoryFirst(a), directoryFirst(b))
	})
	if dir != "." {
		up := Item{Type: '1', Name: fmt.Sprintf("%-66s", ".."), Selector: strings.TrimSuffix(path.Dir("/"+dir), "/") + "/"}
		items = append([]Item{up}, items...)
	}
	return items
}

func directoryFirst(it Item) string {
	if it.Type == '1' {
		return "0"
	}
	return "1"
}

// heading returns the beginning of a menu that gophernicus generates.
func (s *server) heading(dir string) []Item {
	if s.o.Manner != Gophernicus {
		return nil
	}
	title := "/" + dir + "/"
	if dir == "." {
		title = "/"
	}
	return []Item{s.title("[" + title + "]"), s.info("")}
}

// title returns a heading within a menu.
func (s *server) title(text string) Item {
	it := s.info(text)
	if s.o.Manner == Gophernicus {
		it.Selector = "TITLE"
	}
	return it
}

// named returns a member of a directory with the name that the manner shows.
func (s *server) named(it Item, fi fs.FileInfo) Item {
	switch s.o.Manner {
	case Gophernicus:
		it.Name = columns(fi)
		dir, base := path.Split(it.Selector)
		it.Selector = dir + s.quote(base) // the directory stays as requested
		if fi.IsDir() {
			it.Selector += "/"
		}
	case Pygopherd: // it removes the suffix of a known type
		if t := viewType(it.Name); !fi.IsDir() && t != "application/octet-stream" && path.Ext(it.Name) != ".ask" {
			it.Name = strings.TrimSuffix(it.Name, path.Ext(it.Name))
		}
	}
	return it
}

// columns returns the name (cut after 35 characters), time and size of a file.
func columns(fi fs.FileInfo) string {
	size := "--------"
	switch n := float64(fi.Size()); {
	case fi.IsDir():
	case n < 1<<20:
		size = fmt.Sprintf("%.1f KB", n/(1<<10))
	default:
		size = fmt.Sprintf("%.1f MB", n/(1<<20))
	}
	return fmt.Sprintf("%-35.35s   %s   %8s", fi.Name(), modTime(fi).Format("2006-Jan-02 15:04"), size)
}

// quote escapes special bytes of a selector as gophernicus does, as #040.
func (s *server) quote(sel string) string {
	if s.o.Manner != Gophernicus {
		return sel
	}
	var b strings.Builder
	for i := range len(sel) {
		if c := sel[i]; c <= '*' || c >= 0x7f {
			fmt.Fprintf(&b, "#%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (s *server) unquote(sel string) string {
	if s.o.Manner != Gophernicus {
		return sel
	}
	var b strings.Builder
	for i := 0; i < len(sel); i++ {
		if sel[i] == '#' && i+4 <= len(sel) {
			if n, err := strconv.ParseUint(sel[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(sel[i])
	}
	return b.String()
}
