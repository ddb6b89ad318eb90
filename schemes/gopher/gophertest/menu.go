package gophertest

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
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
	if own {
		it.Selector = s.quote(it.Selector)
	}
	l := string(it.Type) + printable(it.Name) + "\t" + it.Selector + "\t" + it.Host + "\t" + it.Port
	switch {
	case it.Plus != "":
		l += "\t" + it.Plus
	case own && s.plus() && it.Type != 'i' && it.Type != '3':
		l += "\t+"
	}
	return l + "\r\n"
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
	if m, err := fs.ReadFile(s.fsys, path.Join(name, gophermap)); err == nil {
		return s.readMap(name, string(m)), nil
	}
	return s.members(name, nil)
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
		items = append(items, s.item(p, fi))
	}
	return items, nil
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

// quote writes the odd octets of a selector as gophernicus does: #040.
func (s *Server) quote(sel string) string {
	if s.o.Manner != Gophernicus || strings.HasPrefix(sel, "URL:") {
		return sel
	}
	var b strings.Builder
	for i := range len(sel) {
		if c := sel[i]; c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
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
