package markup

import (
	"slices"

	"golang.org/x/net/html"
)

// A foreign tracks SVG and MathML elements. In them <title> and <style> contain elements like any other tag, and <![CDATA[ begins a text. It is the
// part of HTML's tree construction on which tokens depend: HTML Standard section 13.2.6.5.
type foreign struct {
	open []string // svg, math, and the elements within them whose content is HTML again
}

// inside reports whether the content of the innermost open element is not HTML.
func (f *foreign) inside() bool {
	return len(f.open) > 0 && isRoot(f.open[len(f.open)-1])
}

func isRoot(name string) bool { return name == "svg" || name == "math" }

// see processes a tag.
func (f *foreign) see(kind html.TokenType, name string) {
	switch {
	case kind == html.EndTagToken:
		f.end(name)
	case f.inside() && leaves(name):
		f.leave()
	case kind == html.SelfClosingTagToken: // it opens no element, or in HTML one that does not matter
	case isRoot(name), f.inside() && holdsHTML(f.open[len(f.open)-1], name):
		if len(f.open) < maxForeign {
			f.open = append(f.open, name)
		}
	}
}

// maxForeign bounds how deep foreign elements are followed.
const maxForeign = 100

// end closes an element and those within it. The end of an HTML element that cannot be within a foreign one also ends the foreign one.
func (f *foreign) end(name string) {
	for i, open := range slices.Backward(f.open) {
		if open == name {
			f.open = f.open[:i]
			return
		}
	}
	if f.inside() && leaves(name) {
		f.leave()
	}
}

// leave closes the foreign elements up to the next one whose content is HTML.
func (f *foreign) leave() {
	for f.inside() {
		f.open = f.open[:len(f.open)-1]
	}
}

// holdsHTML reports whether the content of an element within root is HTML.
func holdsHTML(root, name string) bool {
	switch name {
	case "foreignobject", "desc", "title":
		return root == "svg"
	case "mi", "mo", "mn", "ms", "mtext":
		return root == "math"
	}
	return false
}

// leaves reports whether a tag ends the foreign elements around it.
func leaves(name string) bool {
	switch name {
	case "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4", "h5", "h6", "head",
		"hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup",
		"table", "tt", "u", "ul", "var":
		return true
	}
	return false
}
