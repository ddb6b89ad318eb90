package browse

import (
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// body returns the rows of the screen that show the page: all but the title and the last line.
func (b *Browser) body() int { return max(b.height-2, 1) }

// clamp keeps the rows on the screen within the page.
func (b *Browser) clamp(v *visit) {
	v.top = max(0, min(v.top, len(v.page.layout.rows)-b.body()))
}

// Scroll moves the page, and the selection to a link on the screen.
func (b *Browser) Scroll(by int) {
	v := b.visit()
	v.top += by
	b.clamp(v)
	if !b.isVisible(v, v.link) {
		b.selectVisible(v)
	}
}

// Click opens the link in a cell of the screen.
func (b *Browser) Click(x, y int) {
	v := b.visit()
	if b.prompt != nil || y < 1 || y > b.body() || v.top+y > len(v.page.layout.rows) {
		return
	}
	b.say("")
	n := v.top + y - 1
	text := v.page.layout.rows[n].text
	at := len(text) - len(cutLeft(text, b.shift+x+1)) - 1
	for i, s := range v.page.layout.place {
		if from, to := s.on(n, text); at >= from && at < to && b.shift+x < displaywidth.String(text) {
			v.link = i + 1
			b.follow()
			return
		}
	}
}

// isVisible reports whether link n begins on the screen.
func (b *Browser) isVisible(v *visit, n int) bool {
	place := v.page.layout.place
	return n > 0 && n <= len(place) && place[n-1].row >= v.top && place[n-1].row < v.top+b.body()
}

// selectVisible selects the first link on the screen, or none.
func (b *Browser) selectVisible(v *visit) {
	v.link = 0
	for n := range v.page.layout.place {
		if b.isVisible(v, n+1) {
			v.link = n + 1
			return
		}
	}
}

// next selects the next link in a direction. It scrolls by one row at a time to a link that is not on the screen yet.
func (b *Browser) next(by int) {
	v := b.visit()
	to := v.link + by
	if v.link == 0 && by < 0 {
		to = 0
	}
	if to > 0 && to <= len(v.page.layout.place) && (b.isVisible(v, to) || b.isVisible(v, v.link) && b.isNear(v, to)) {
		v.link = to
		b.reveal(v, v.page.layout.place[to-1])
		return
	}
	if v.link == 0 && by > 0 {
		b.selectVisible(v)
		if v.link > 0 {
			return
		}
	}
	before := v.top
	v.top += by
	if b.clamp(v); v.top == before {
		return
	}
	if !b.isVisible(v, v.link) {
		b.selectVisible(v)
	}
}

// isNear reports whether link n is at most a row from the screen.
func (b *Browser) isNear(v *visit, n int) bool {
	row := v.page.layout.place[n-1].row
	return row >= v.top-1 && row <= v.top+b.body()
}

// reveal scrolls so that a place is on the screen.
func (b *Browser) reveal(v *visit, s span) {
	if s.lastRow >= v.top+b.body() {
		v.top = s.lastRow - b.body() + 1
	}
	if s.row < v.top {
		v.top = s.row
	}
	b.clamp(v)
}

// askNumber lets the user choose a link by its number.
func (b *Browser) askNumber(first Key) {
	v := b.visit()
	if len(v.page.links) == 0 {
		b.say("This page has no links.")
		return
	}
	b.ask("Link: ", string(first), func(text string) {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > len(v.page.links) {
			b.fail(fetch.Errorf(fetch.ErrNotFound, "no such link: %s; the page has %d", text, len(v.page.links)))
			return
		}
		v.link = n
		b.reveal(v, v.page.layout.place[n-1])
		b.follow()
	})
}

// selected returns the selected link.
func (b *Browser) selected() (fetch.Entry, bool) {
	v := b.visit()
	if v.link == 0 || v.link > len(v.page.links) {
		return fetch.Entry{}, false
	}
	return v.page.links[v.link-1], true
}

// follow opens the selected link.
func (b *Browser) follow() {
	e, ok := b.selected()
	if !ok {
		b.say("No link is selected.")
		return
	}
	v := b.visit()
	if v.page.targets != nil {
		b.open(v.page.targets[v.link-1])
		return
	}
	t := target{uri: e.URI}
	if d := v.page.doc; d != nil && v.target.own == "" {
		if err := b.config.Client.CheckLink(d.URI, e.URI); err != nil {
			b.fail(err)
			return
		}
	}
	switch f := v.page.forms[v.link]; {
	case f != nil:
		b.askFields(t, f, nil)
	case e.Kind == fetch.KindSearch:
		b.askSearch(t, e.Title)
	case len(e.Attr["ask"]) > 0:
		b.askForm(t)
	case e.Kind == fetch.KindSession:
		b.attach(t)
	default:
		if _, ok := e.URI.Fragment(); ok && v.page.doc != nil && v.target.own == "" && e.URI.WithoutFragment().String() == v.page.doc.URI.WithoutFragment().String() {
			t = v.target // with the words of a search
			t.uri = e.URI
			b.push(t, v.page)
			return
		}
		b.open(t)
	}
}

// above opens the directory that contains the document.
func (b *Browser) above() {
	v := b.visit()
	if v.target.own != "" {
		return
	}
	u := v.target.uri
	ref := "."
	if strings.HasSuffix(string(u.Path()), "/") {
		ref = ".."
	}
	r, err := uri.Parse(ref)
	if up := u.Resolve(r); err == nil && up.String() != u.String() && up.IsAbs() && strings.HasPrefix(string(up.Path()), "/") {
		b.open(target{uri: up})
		return
	}
	b.say("There is no directory above.")
}

// showPlan shows what is sent for the selected link, or for the page if no link is selected. Nothing is sent.
func (b *Browser) showPlan() {
	v := b.visit()
	t := v.target
	if e, ok := b.selected(); ok {
		t = target{uri: e.URI}
	}
	if t.uri.IsZero() {
		b.say("There is nothing to plan.")
		return
	}
	p, err := b.config.Client.Plan(t.uri, b.options(t))
	if err != nil {
		b.fail(err)
		return
	}
	var s strings.Builder
	render.Plan(&s, p)
	b.showText("Plan of "+b.name(t), s.String()+"\nNothing has been sent.\n")
}
