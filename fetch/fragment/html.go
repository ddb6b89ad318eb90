package fragment

import (
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/uri/markup"
)

// Bounds on the text of a page that is held while its part is searched.
const (
	maxToken   = 4 << 20   // a tag, or the text between two tags
	maxHeading = 256 << 10 // a heading that may contain the anchor
)

// An element is a part of a page.
type element struct {
	z    *markup.Tokenizer
	name string

	until   func(html.TokenType, string) verdict // nil before the part begins
	heading []byte                               // the page since the start of the current heading
	level   string                               // of that heading; "" outside one
	raw     []byte                               // the current token
}

// A verdict is the relation of a token to the part.
type verdict int

const (
	within verdict = iota
	last
	after
)

// newElement returns the element of a page in an encoding with ASCII. text decodes a piece of it; it is nil for UTF-8.
func newElement(in io.Reader, name string, isXML bool, text func([]byte) []byte) io.Reader {
	return pieces.NewReader((&element{z: markup.NewIn(in, maxToken, text).XML(isXML), name: name}).next)
}

// next reads one token, and returns it if it belongs to the part.
func (e *element) next() ([]byte, error) {
	kind := e.z.Next()
	if kind == html.ErrorToken {
		return nil, e.end(e.z.Err())
	}
	e.raw = append(e.raw[:0], e.z.Raw()...)
	tag, named := e.tag(kind)
	if e.until == nil {
		return e.look(kind, tag, named), nil
	}
	switch e.until(kind, tag) {
	case after:
		return nil, io.EOF
	case last:
		return e.raw, io.EOF
	}
	return e.raw, nil
}

// look returns the first bytes of the part if it begins with the current token.
func (e *element) look(kind html.TokenType, tag string, named bool) []byte {
	if rank(tag) > 0 && kind == html.StartTagToken {
		e.level, e.heading = tag, e.heading[:0]
	}
	if e.level != "" && len(e.heading) < maxHeading {
		e.heading = append(e.heading, e.raw...)
	}
	if named {
		return e.begin(kind, tag)
	}
	if kind == html.EndTagToken && tag == e.level {
		e.level = ""
	}
	return nil
}

// begin determines where the part ends. An anchor marks a place and not a region (HTML 2.0 section 5.7.3), so it stands for what follows,
// or for the section if it marks a heading.
func (e *element) begin(kind html.TokenType, tag string) []byte {
	switch {
	case e.level != "":
		e.until = section(e.level)
		return e.heading
	case tag == "a" || isVoid(tag) || kind == html.SelfClosingTagToken:
		e.until = section("h6")
	default:
		e.until = closing(tag)
	}
	return e.raw
}

// section ends before the next heading of the same or a higher rank.
func section(level string) func(html.TokenType, string) verdict {
	return func(kind html.TokenType, tag string) verdict {
		if kind == html.StartTagToken && rank(tag) > 0 && rank(tag) <= rank(level) || kind == html.EndTagToken && tag == "body" {
			return after
		}
		return within
	}
}

// closing ends with the end tag, or, if that may be omitted (HTML section 13.1.2.4), before the tag that implies it.
func closing(tag string) func(html.TokenType, string) verdict {
	var open []string // open elements within the element
	return func(kind html.TokenType, t string) verdict {
		for kind == html.StartTagToken && len(open) > 0 && slices.Contains(implied(open[len(open)-1]), t) {
			open = open[:len(open)-1]
		}
		switch {
		case kind == html.StartTagToken && len(open) == 0 && slices.Contains(implied(tag), t):
			return after
		case kind == html.StartTagToken && !isVoid(t) && len(open) < 512:
			open = append(open, t)
		case kind == html.EndTagToken:
			i := len(open) - 1
			for i >= 0 && open[i] != t {
				i--
			}
			switch {
			case i >= 0:
				open = open[:i]
			case t == tag:
				return last
			case len(implied(tag)) > 0:
				return after // the end of the enclosing element
			}
		}
		return within
	}
}

// implied returns the start tags that end an element without its end tag.
func implied(tag string) []string {
	switch tag {
	case "li":
		return []string{"li"}
	case "dt", "dd":
		return []string{"dt", "dd"}
	case "p":
		return strings.Fields("address article aside blockquote center dir div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre " +
			"section table ul")
	case "tr":
		return []string{"tr", "tbody", "tfoot"}
	case "td", "th":
		return []string{"td", "th", "tr", "tbody", "tfoot"}
	case "option":
		return []string{"option", "optgroup"}
	}
	return nil
}

// rank returns 1 to 6 for headings, and 0 for other elements.
func rank(t string) int { return 1 + slices.Index([]string{"h1", "h2", "h3", "h4", "h5", "h6"}, t) }

func isVoid(t string) bool {
	switch t {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "isindex", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// tag returns the current tag, and whether its id, or the name of an anchor, is the wanted one.
func (e *element) tag(kind html.TokenType) (t string, named bool) {
	if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
		return "", false
	}
	t = e.z.Name()
	if e.until != nil || kind == html.EndTagToken {
		return t, false
	}
	for key, value := range e.z.Attributes() {
		if value == e.name && (key == "id" || key == "name" && t == "a") {
			named = true
		}
	}
	return t, named
}

// end handles the end of the page, which also ends a part.
func (e *element) end(err error) error {
	if errors.Is(err, io.EOF) && e.until == nil {
		return fetch.Errorf(fetch.ErrNotFound, "the page has no part #%s", e.name)
	}
	return fetch.LimitError(err)
}
