package gophertest

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// An Item is one line of a menu (RFC 1436 section 3.9). An empty Host means this server.
type Item struct {
	Type     byte
	Name     string
	Selector string
	Host     string
	Port     string
	Plus     string // fifth field of Gopher+
}

// line returns the line of an item for a client that has connected to here.
func (s *server) line(it Item, here place) string {
	own := it.Host == ""
	it.Host, it.Port = cmp.Or(it.Host, here.host), cmp.Or(it.Port, here.port)
	l := string(it.Type) + loopback.Printable(it.Name) + "\t" + it.Selector + "\t" + it.Host + "\t" + it.Port
	switch {
	case it.Plus != "":
		l += "\t" + it.Plus
	case own && s.o.Plus && plusItem(it):
		l += "\t+"
	}
	return l + "\r\n"
}

// plusItem reports whether an item has Gopher+ attributes: only files and menus do.
func plusItem(it Item) bool {
	return strings.IndexByte("i37", it.Type) < 0 && !strings.HasPrefix(it.Selector, "URL:")
}

// info returns a line of text, which is not in RFC 1436 but in common use.
func info(text string) Item { return Item{Type: 'i', Name: text, Host: "null.host", Port: "1"} }

// directory returns the menu of a directory.
func (s *server) directory(name string) ([]Item, error) {
	if m, err := loopback.ReadFile(s.fsys, path.Join(name, gophermap)); err == nil {
		return s.readMap(name, string(m)), nil
	}
	return s.members(name, nil)
}

// members returns the files of a directory, without hidden ones and those that a gophermap hides.
func (s *server) members(name string, hide []string) ([]Item, error) {
	list, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, m := range list {
		if !shown(m.Name()) || slices.Contains(hide, m.Name()) {
			continue
		}
		p := path.Join(name, m.Name())
		fi, err := fs.Stat(s.fsys, p)
		if err != nil { // a dangling link, or just deleted
			continue
		}
		items = append(items, s.item(p, fi))
	}
	return items, nil
}

// shown reports whether a file is listed. The files that describe a menu are not, nor are hidden files, nor names that a line of a menu
// cannot contain.
func shown(name string) bool {
	return name != gophermap && isMember(name) && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "\t\r\n")
}

// item returns the item of a file or directory.
func (s *server) item(p string, fi fs.FileInfo) Item {
	it := Item{Type: s.itemType(p, fi), Name: fi.Name(), Selector: "/" + p}
	if s.o.Plus && asks(p) {
		it.Plus = "?"
	}
	return it
}
