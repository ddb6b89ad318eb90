package markup

import (
	"slices"

	"golang.org/x/net/html"
)

// A foreign keeps track of SVG and MathML, where <title> and <style> contain elements as any other tag does, and <![CDATA[ begins a text. It is the
// little of HTML's tree construction on which the tokens depend: HTML Standard section 13.2.6.5.
type foreign struct {
	open []string // svg, math, and the elements within them whose content is HTML again
}

// inside reports whether the innermost of the open elements is one whose content is not HTML.
func (f *foreign) inside() bool {
	return len(f.open) > 0 && isRoot(f.open[len(f.open)-1])
}

func isRoot(name string) bool { return name == "svg" || name == "math" }

// see takes note of a tag.
func (f *foreign) see(kind html.TokenType, name string) {
	switch {
	case kind == html.EndTagToken:
		f.end(name)
	case f.inside() && leaves(name):
		f.leave()
	case kind == html.SelfClosingTagToken: // it opens nothing, or, in HTML, nothing of concern
	case isRoot(name), f.inside() && holdsHTML(f.open[len(f.open)-1], name):
		if len(f.open) < maxForeign {
			f.open = append(f.open, name)
		}
	}
}

// maxForeign bounds how deep foreign elements are followed.
const maxForeign = 100

// end closes the element, and those within it. The end of an HTML element that cannot be within the foreign one ends that as well.
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

// leaves reports whether a tag ends the foreign elements that it stands in.
func leaves(name string) bool {
	switch name {
	case "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4", "h5", "h6", "head",
		"hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup",
		"table", "tt", "u", "ul", "var":
		return true
	}
	return false
}
