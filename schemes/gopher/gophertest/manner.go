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

// What the two real servers do otherwise, as they were seen to answer for the
// sample site (gophernicus 3.1.1 and pygopherd 3.0.0-git of Debian 12).

// footer ends the menus and the errors of gophernicus.
func footer() []string {
	return []string{strings.Repeat("_", 67), "                 Gophered by Gophernicus/3.1.1 on Debian/12 x86_64"}
}

// plainError is how gophernicus refuses a document: as if it were one.
func plainError(w io.Writer, text string) {
	io.WriteString(w, "Error: "+text+"\r\n"+strings.Join(footer(), "\r\n")+"\r\n")
}

// decorate adds what the manner puts around the members of a folder.
func (s *Server) decorate(dir string, items []Item) []Item {
	if s.o.Manner != Gophernicus {
		return items
	}
	slices.SortStableFunc(items, func(a, b Item) int { // folders first
		return strings.Compare(folderFirst(a), folderFirst(b))
	})
	if dir != "." {
		up := Item{Type: '1', Name: fmt.Sprintf("%-66s", ".."), Selector: strings.TrimSuffix(path.Dir("/"+dir), "/") + "/"}
		items = append([]Item{up}, items...)
	}
	return items
}

func folderFirst(it Item) string {
	if it.Type == '1' {
		return "0"
	}
	return "1"
}

// heading is the beginning of a menu that gophernicus has made itself.
func (s *Server) heading(dir string) []Item {
	if s.o.Manner != Gophernicus {
		return nil
	}
	title := "/" + dir + "/"
	if dir == "." {
		title = "/"
	}
	return []Item{s.title("[" + title + "]"), s.info("")}
}

// title is a heading within a menu.
func (s *Server) title(text string) Item {
	it := s.info(text)
	if s.o.Manner == Gophernicus {
		it.Selector = "TITLE"
	}
	return it
}

// named gives a member of a folder the name that the manner shows.
func (s *Server) named(it Item, fi fs.FileInfo) Item {
	switch s.o.Manner {
	case Gophernicus:
		it.Name = columns(fi)
		folder, base := path.Split(it.Selector)
		it.Selector = folder + s.quote(base) // the folder stays as it was asked for
		if fi.IsDir() {
			it.Selector += "/"
		}
	case Pygopherd: // it drops the suffix when it knows the type
		if t := mediaType(it.Name); !fi.IsDir() && t != "application/octet-stream" && path.Ext(it.Name) != ".ask" {
			it.Name = strings.TrimSuffix(it.Name, path.Ext(it.Name))
		}
	}
	return it
}

// columns are name (cut after 35 characters), time, and size.
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

// quote writes the odd octets of a selector as gophernicus does, as #040.
func (s *Server) quote(sel string) string {
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

func (s *Server) unquote(sel string) string {
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
