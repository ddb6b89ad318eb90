package browse

import "strings"

// askPattern asks for a text to find in the page.
func (b *Browser) askPattern() {
	b.ask("Find: ", "", func(text string) {
		if text == "" {
			return
		}
		b.pattern = text
		if v := b.visit(); !b.findFrom(v, v.top, 1) {
			b.say("Not found.")
		}
	})
}

// find goes to the next row with the text, or to the one before.
func (b *Browser) find(by int) {
	v := b.visit()
	switch {
	case b.pattern == "":
		b.askPattern()
	case !b.findFrom(v, v.top+by, by):
		b.say("Not found.")
	}
}

// findFrom shows the nearest row with the text at the top of the screen. It starts at a row and goes around the ends of the page.
func (b *Browser) findFrom(v *visit, start, by int) bool {
	rows := v.page.layout.rows
	for i := range rows {
		n := ((start+i*by)%len(rows) + len(rows)) % len(rows)
		if !strings.Contains(strings.ToLower(rows[n].text), strings.ToLower(b.pattern)) {
			continue
		}
		if i > 0 && (n < start) == (by > 0) && n != start {
			b.say("Found on the other side of the page's end.")
		}
		v.top = n // also near the end, so that the next search starts after it
		b.selectVisible(v)
		return true
	}
	return false
}

// toggleWrap turns the wrapping of long lines off and on.
func (b *Browser) toggleWrap() {
	b.unwrapped, b.shift = !b.unwrapped, 0
	b.relayout(b.visit())
	if b.unwrapped {
		b.say("Long lines are cut; < and > scroll sideways.")
	}
}

// sideways scrolls by half of the width.
func (b *Browser) sideways(by int) {
	if !b.unwrapped {
		b.say("w turns the wrapping of lines off.")
		return
	}
	b.shift = max(0, b.shift+by*b.width/2)
}
