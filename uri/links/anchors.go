package links

import (
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"example.org/deref/uri/markup"
)

// MarkdownAnchors yields the names that fragments of Markdown can have: the id and name attributes of its tags, {#name} after a heading, and the names
// that renderers make of headings. Since these differ, a heading has those of GitHub, GitLab and pandoc. A read error comes last, with "".
func MarkdownAnchors(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		a := anchors{yield: yield, count: map[string]int{}}
		before := ""
		for l, err := range markdownLines(r) {
			if err != nil {
				yield("", err)
				return
			}
			switch {
			case l.kind == inHeading:
				a.heading(strings.Trim(strings.TrimLeft(l.text, " >\t"), "# \t"))
			case l.kind == inText && before != "" && isUnderline(l.text, "=-"):
				a.heading(strings.TrimSpace(before))
			}
			a.tags(l.text)
			if before = ""; l.kind == inText {
				before = l.text
			}
			if a.done {
				return
			}
		}
	}
}

// anchors yields the names of one document.
type anchors struct {
	yield func(string, error) bool
	count map[string]int // of headings with one name
	done  bool
}

// maxHeadings bounds the headings whose names are counted.
const maxHeadings = 100_000

func (a *anchors) add(name string) {
	if name != "" && !a.done && !a.yield(name, nil) {
		a.done = true
	}
}

// heading adds the names of a heading. The second and later ones with the same text have numbers.
func (a *anchors) heading(text string) {
	text = text[:min(len(text), maxLabel)]
	if i := strings.LastIndex(text, "{#"); i >= 0 && strings.HasSuffix(text, "}") {
		id, _, _ := strings.Cut(text[i+2:len(text)-1], " ")
		a.add(id)
		text = strings.TrimSpace(text[:i])
	}
	plain := withoutMarkup(text)
	github := slug(plain, "_-")
	for _, name := range []string{github, squeezed(github), strings.TrimLeftFunc(slug(plain, "_-."), notLetter)} {
		a.add(name)
		if n := a.count[github]; n > 0 {
			a.add(name + "-" + strconv.Itoa(n))
		}
	}
	if len(a.count) < maxHeadings {
		a.count[github]++
	}
}

func notLetter(c rune) bool { return !unicode.IsLetter(c) }

// withoutMarkup returns the text of a heading: without destinations of links, marks of emphasis and code, and tags.
func withoutMarkup(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ']' && i+1 < len(s) && s[i+1] == '(':
			if n := strings.IndexByte(s[i:], ')'); n > 0 {
				i += n
			}
		case c == '<':
			if end := tagEnd([]byte(s), i); end > 0 {
				i = end - 1
			}
		case c == '\\' && i+1 < len(s) && isPunctuation(s[i+1]), strings.IndexByte("[]*`", c) >= 0:
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// slug returns the text in lower case, with hyphens for blanks, and without punctuation except that in keep.
func slug(s, keep string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsLetter(c), unicode.IsNumber(c), unicode.IsMark(c), strings.ContainsRune(keep, c):
			return unicode.ToLower(c)
		case c == ' ':
			return '-'
		}
		return -1
	}, s)
}

// squeezed replaces runs of hyphens by one.
func squeezed(s string) string {
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return s
}

// tags adds the names in the tags of a line.
func (a *anchors) tags(line string) {
	if !strings.Contains(line, "<") || !strings.Contains(line, "=") { // a Tokenizer for each line takes memory
		return
	}
	z := markup.New(strings.NewReader(line), maxTextLine)
	for z.Next() != html.ErrorToken {
		if z.Name() != "" {
			a.tag(z)
		}
	}
}

// tag adds the names in the current tag.
func (a *anchors) tag(z *markup.Tokenizer) {
	for key, value := range z.Attributes() {
		if key == "id" || key == "name" && z.Name() == "a" {
			a.add(value)
		}
	}
}

// isUnderline reports whether a line repeats one of the characters.
func isUnderline(line, characters string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.IndexByte(characters, line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// HTMLAnchors yields the names that fragments of an HTML document can have: its id attributes, and the names of its anchors. r is its text in UTF-8. A
// read error comes last, with "".
func HTMLAnchors(r io.Reader) iter.Seq2[string, error] { return tagAnchors(markup.New(r, maxToken)) }

// XHTMLAnchors is HTMLAnchors for XHTML documents.
func XHTMLAnchors(r io.Reader) iter.Seq2[string, error] {
	return tagAnchors(markup.New(r, maxToken).XML(true))
}

func tagAnchors(z *markup.Tokenizer) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		a := anchors{yield: yield}
		for !a.done {
			switch z.Next() {
			case html.ErrorToken:
				if err := z.Err(); !errors.Is(err, io.EOF) {
					yield("", err)
				}
				return
			case html.StartTagToken, html.SelfClosingTagToken:
				a.tag(z)
			}
		}
	}
}
