package links

import (
	"io"
	"iter"
	"strings"
)

// AsciiDocAnchors yields the names that fragments of AsciiDoc can have: [[name]], [#name], anchor:name[], and those that are made of the titles of
// sections, with the document's idprefix and idseparator. A read error comes last, with "".
func AsciiDocAnchors(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		a := anchors{yield: yield}
		doc := asciidoc{attributes: map[string]string{"idprefix": "_", "idseparator": "_"}}
		for l, err := range textLines(r) {
			if err != nil {
				yield("", err)
				return
			}
			text, ok := doc.line(strings.TrimRight(l.text, " \t"))
			if !ok {
				continue
			}
			text = text[:min(len(text), maxLabel)]
			if rest := strings.TrimLeft(text, "="); len(rest) < len(text) && strings.HasPrefix(rest, " ") {
				a.add(doc.idOf(strings.TrimSpace(rest)))
			}
			for _, mark := range []string{"[[", "[#", "anchor:"} {
				a.marked(text, mark)
			}
			if a.done {
				return
			}
		}
	}
}

// marked adds the names after a mark.
func (a *anchors) marked(text, mark string) {
	for {
		_, rest, found := strings.Cut(text, mark)
		if !found {
			return
		}
		n := strings.IndexAny(rest, "],[.%")
		if n < 0 {
			return
		}
		a.add(rest[:n])
		text = rest[n:]
	}
}

// idOf returns the name of a section: its title in lower case, without punctuation, with separators for blanks, hyphens and dots.
func (a *asciidoc) idOf(title string) string {
	separator := a.attributes["idseparator"]
	words := strings.FieldsFunc(slug(withoutMarkup(title), "_-."), func(c rune) bool { return c == '-' || c == '.' })
	return a.attributes["idprefix"] + strings.Join(words, separator)
}
