// Package links finds the references in HTML, Markdown, AsciiDoc, CSS, feeds (RSS, Atom), sitemaps, text/gemini, gopher menus and
// text/uri-list, and rewrites those of HTML, CSS and text/gemini. FormatOf knows which media type has which of these functions. Package uri finds
// those in running text.
package links

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// A Link is a reference in a document.
type Link struct {
	URI       uri.URI // resolved; zero if Ref is not a URI
	Ref       string  // original, without the white space that HTML ignores
	Element   string  // "a", "img"; in a menu the item type
	Attribute string  // "href", "src"
	Embedded  bool    // the document is shown together with the target: an image, a style sheet, a font, a script, a frame
	Sheet     bool    // the target is a style sheet of HTML
	Title     string  // text of the link, with white space collapsed
	Line      int     // of the text, from 1; 0 if the format has no lines
}

// IsDocument reports whether a link refers to a document rather than to an action or the base of others.
func (l Link) IsDocument() bool {
	switch l.Attribute {
	case "action", "formaction", "ping", "profile", "classid", "codebase":
		return false
	}
	return l.Element != "base"
}

// Bounds of the input.
const (
	maxToken = 4 << 20  // one tag or text of HTML: pages contain images and libraries of scripts
	maxLine  = 64 << 10 // one line of a menu or list
	maxTitle = 512      // bytes of a title
)

// byLine yields the links that read finds in the lines of r, one in each at most, and a read error last.
func byLine(r io.Reader, read func(line string) (l Link, ok bool, err error)) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		for line, err := range linesOf(r, maxLine) {
			if err != nil {
				yield(Link{}, err)
				return
			}
			if l, ok, err := read(line); ok && !yield(l, err) {
				return
			}
		}
	}
}

// linesOf yields the lines of r, of at most most bytes, without their ends, and a read error last.
func linesOf(r io.Reader, most int) func(yield func(string, error) bool) {
	return func(yield func(string, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 0, 4<<10), most)
		for in.Scan() {
			if !yield(in.Text(), nil) {
				return
			}
		}
		err := in.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = &markup.LimitError{Part: "a line", Most: most}
		}
		if err != nil {
			yield("", err)
		}
	}
}
