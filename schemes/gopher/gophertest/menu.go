package gophertest

import (
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Item is one line of a menu (RFC 1436 §3.9). A void Host means this server.
type Item struct {
	Type     byte
	Name     string
	Selector string
	Host     string
	Port     string
	Plus     string // fifth field of Gopher+
}

// line writes an item for a client that has reached us at host and port.
func (s *Server) line(it Item, host, port string) string {
	own := it.Host == ""
	if it.Host == "" {
		it.Host = host
	}
	if it.Port == "" {
		it.Port = port
	}
	l := string(it.Type) + printable(it.Name) + "\t" + it.Selector + "\t" + it.Host + "\t" + it.Port
	switch {
	case it.Plus != "":
		l += "\t" + it.Plus
	case own && s.plus() && plusItem(it):
		l += "\t+"
	}
	return l + "\r\n"
}

// plusItem tells the items that Gopher+ can ask more of: those that are files.
func plusItem(it Item) bool {
	return strings.IndexByte("i37", it.Type) < 0 && !strings.HasPrefix(it.Selector, "URL:")
}

// info is a line of text in a menu: not in RFC 1436, and in every menu since.
func (s *Server) info(text string) Item {
	if s.o.Manner == Pygopherd {
		return Item{Type: 'i', Name: text, Selector: "fake", Host: "(NULL)", Port: "0"}
	}
	return Item{Type: 'i', Name: text, Host: "null.host", Port: "1"}
}

// folder makes the menu of a folder.
func (s *Server) folder(name string) ([]Item, error) {
	if m, err := loopback.ReadFile(s.fsys, path.Join(name, gophermap)); err == nil {
		return s.readMap(name, string(m)), nil
	}
	items, err := s.members(name, nil)
	return append(s.heading(name), items...), err
}

// members lists a folder, without hidden files and those that a gophermap hides.
func (s *Server) members(name string, hide []string) ([]Item, error) {
	list, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, m := range list {
		if !shown(m.Name()) || contains(hide, m.Name()) {
			continue
		}
		p := path.Join(name, m.Name())
		fi, err := fs.Stat(s.fsys, p)
		if err != nil { // a dangling link, or gone since
			continue
		}
		items = append(items, s.named(s.item(p, fi), fi))
	}
	return s.decorate(name, items), nil
}

// shown leaves out what a menu is made from, hidden files, and names that a line
// of a menu cannot hold.
func shown(name string) bool {
	return name != gophermap && isMember(name) && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "\t\r\n")
}

// item is the line for a file or folder.
func (s *Server) item(p string, fi fs.FileInfo) Item {
	it := Item{Type: s.itemType(p, fi), Name: fi.Name(), Selector: "/" + p}
	if s.plus() && s.asks(p) {
		it.Plus = "?"
	}
	return it
}

func contains(list []string, name string) bool {
	for _, l := range list {
		if l == name {
			return true
		}
	}
	return false
}
