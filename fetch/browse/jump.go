package browse

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"example.org/deref/fetch/fragment"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

// jump scrolls a page to the part that the fragment of its URI names: an element of an HTML page, a line of a text (RFC 5147), or the heading of
// that name.
func (b *Browser) jump(v *visit) {
	escaped, ok := v.target.uri.Fragment()
	if !ok || escaped == "" || v.target.own != "" || v.page.doc == nil || v.page.err != nil {
		return
	}
	name, err := uri.FragmentText.Unescape(escaped)
	if err != nil {
		name = string(escaped)
	}
	row, ok := v.page.rowOf(name, b.width)
	if !ok {
		b.say("This page has no part called " + render.Escape(name) + ".")
		return
	}
	v.top = row // also near the end, so that the part is the first on the screen
	b.selectVisible(v)
}

// rowOf returns the row at which the part of that name begins.
func (p *page) rowOf(name string, width int) (int, bool) {
	if render.IsPage(p.doc) && !p.listed {
		if row, ok := p.rowOfElement(name, width); ok {
			return row, true
		}
	} else if line, ok := strings.CutPrefix(name, "line="); ok && !p.listed {
		line, _, _ = strings.Cut(line, ",")
		n, err := strconv.Atoi(line)
		if err == nil && n >= 0 && n < len(p.layout.lines) {
			return p.layout.lines[n], true
		}
	}
	for i, r := range p.layout.rows {
		if words := slug(r.text); words != "" && words == slug(name) {
			return i, true
		}
	}
	return 0, false
}

// enoughLines is how many lines tell a part of a page from others with the same beginning, such as a link to it in a table of contents.
const enoughLines = 4

// rowOfElement finds an element by its text, since the text of a page does not say from where it is.
func (p *page) rowOfElement(name string, width int) (int, bool) {
	d := p.document()
	d.Fragment = string(uri.FragmentText.Escape(uri.RFC3986, name))
	if fragment.Cut(d) != nil {
		return 0, false
	}
	var text bytes.Buffer
	if err := render.View(&text, d, render.Text, &render.Options{Terminal: true, Width: width, Page: htmltext.Text}); err != nil {
		return 0, false
	}
	var want []string
	for line := range strings.Lines(text.String()) {
		if line = plain(line); (line != "" || want != nil) && len(want) < enoughLines {
			want = append(want, line)
		}
	}
	for n := len(want); n > 0; n-- {
		for i := 0; i+n <= len(p.layout.rows); i++ {
			if matches(p.layout.rows[i:], want[:n]) {
				return i, true
			}
		}
	}
	return 0, false
}

func matches(rows []row, want []string) bool {
	for i, line := range want {
		if plain(rows[i].text) != line {
			return false
		}
	}
	return true
}

// plain returns a line without the numbers of links, which differ in a part of the page.
func plain(line string) string {
	return strings.TrimSpace(regexp.MustCompile(`\[[0-9]+\]`).ReplaceAllString(line, ""))
}

// slug returns the words of a heading, joined by hyphens, as most programs name headings.
func slug(heading string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-"))
}
