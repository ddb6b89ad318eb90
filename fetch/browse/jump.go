package browse

import (
	"strconv"
	"strings"
	"unicode"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// jump scrolls a page to the heading that was chosen, or to the part that the fragment of its URI names: an element of an HTML page, a line of a
// text (RFC 5147), or the heading of that name.
func (b *Browser) jump(v *visit) {
	if n := v.target.heading; n > 0 {
		for i, r := range v.page.layout.rows {
			if n -= min(r.level, 1); n == 0 {
				v.top = i
				b.selectVisible(v)
				return
			}
		}
	}
	escaped, ok := v.target.uri.Fragment()
	if !ok || escaped == "" || v.target.own != "" || v.page.doc == nil || v.page.err != nil {
		return
	}
	name, err := uri.FragmentText.Unescape(escaped)
	if err != nil {
		name = string(escaped)
	}
	row, ok := v.page.rowOf(name)
	if !ok {
		b.say("This page has no part called " + render.Escape(name) + ".")
		return
	}
	v.top = row // also near the end, so that the part is the first on the screen
	b.selectVisible(v)
}

// rowOf returns the row at which the part of that name begins.
func (p *page) rowOf(name string) (int, bool) {
	if row, ok := p.layout.names[name]; ok {
		return row, true
	}
	if line, ok := strings.CutPrefix(name, "line="); ok && !p.listed && !mediatype.IsPage(p.doc.Type) {
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

// slug returns the words of a heading, joined by hyphens, as most programs name headings.
func slug(heading string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-"))
}
