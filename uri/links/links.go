// Package links finds the references of documents: of HTML, of gopher menus,
// of text/uri-list. Those of running text package uri finds.
package links

import (
	"bufio"
	"io"

	"example.org/deref/uri"
)

// A Link is a reference that a document makes.
type Link struct {
	URI       uri.URI // resolved; zero where Ref is no URI
	Ref       string  // as written, without the white space that HTML admits
	Element   string  // "a", "img"; of a menu the item type
	Attribute string  // "href", "src"
	Title     string  // the text that stands for it, white space made one
}

// Bounds of what is read.
const (
	maxToken = 1 << 20  // one tag or text of HTML
	maxLine  = 64 << 10 // one line of a menu or list
	maxTitle = 512      // octets kept of a title
)

// lines yields the lines of r without their ends, and an error last.
func lines(r io.Reader) func(yield func(string, error) bool) {
	return func(yield func(string, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 0, 4<<10), maxLine)
		for in.Scan() {
			if !yield(in.Text(), nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield("", err)
		}
	}
}
