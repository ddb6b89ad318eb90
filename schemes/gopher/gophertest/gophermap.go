package gophertest

import (
	"cmp"
	"path"
	"strings"
)

// gophermap is the name of a file with a menu.
const gophermap = "gophermap"

// readMap parses the format that bucktooth introduced, as far as gophernicus and pygopherd agree on it:
//
//	a line without TAB             text
//	Xname TAB [selector [TAB host [TAB port]]]
//	                               an item; an empty selector is the name, a
//	                               selector without slash is in this directory
//	#comment                       ignored
//	!title                         text
//	-name                          hides a file from the listing
//	*                              the listing of the directory, and the end
//	.                              the end
func (s *server) readMap(dir, text string) []Item {
	var items []Item
	var hide []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.Contains(line, "\t"):
			items = append(items, mapItem(dir, line))
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "!"):
			items = append(items, info(line[1:]))
		case strings.HasPrefix(line, "-") && len(line) > 1:
			hide = append(hide, line[1:])
		case line == "*":
			rest, _ := s.members(dir, hide)
			return append(items, rest...)
		case line == ".":
			return items
		default:
			items = append(items, info(line))
		}
	}
	return items
}

// mapItem parses one item.
func mapItem(dir, line string) Item {
	f := append(strings.Split(line, "\t"), "", "", "") // selector, host and port may be missing
	it := Item{Type: 'i', Name: f[0]}
	if f[0] != "" {
		it.Type, it.Name = f[0][0], f[0][1:]
	}
	it.Selector, it.Host, it.Port = cmp.Or(f[1], it.Name), f[2], f[3]
	if it.Host != "" {
		it.Selector, it.Port = f[1], cmp.Or(it.Port, "70")
		return it
	}
	if !strings.HasPrefix(it.Selector, "/") && !strings.HasPrefix(it.Selector, "URL:") {
		it.Selector = path.Clean("/" + dir + "/" + it.Selector)
	}
	return it
}
