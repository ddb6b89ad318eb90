package browse

import (
	"fmt"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// startName is the name of the page with the bookmarks, which a visit without an address begins with.
const startName = "Start"

// showStart shows where to go: bookmarks, places, and the history.
func (b *Browser) showStart() {
	of := func(list []fetch.Entry) (targets []target) {
		for _, e := range list {
			targets = append(targets, target{uri: e.URI, title: e.Title})
		}
		return targets
	}
	saved, err := b.bookmarks()
	p := newListing()
	p.section("1", "deref", "g opens the address of a document of any scheme, a number and Enter a link of this page; ? lists all keys, q quits.", nil)
	p.section("2", "Bookmarks", "There are no bookmarks; a adds one for the page that is shown, d deletes it on this page.", of(saved))
	p.section("2", "History of this visit", "No page was opened yet.", b.history())
	p.section("2", "Places", "", of(b.config.Places))
	if b.push(target{own: startName}, p); err != nil {
		b.fail(err)
	}
}

// showHistory shows the pages of the visit, the last first.
func (b *Browser) showHistory() {
	p := newListing()
	p.section("1", "History", "No page was opened yet.", b.history())
	b.push(target{own: "History"}, p)
}

// showContents shows the headings of the page, as links to them.
func (b *Browser) showContents() {
	var list []target
	if v := b.visit(); v.target.own == "" {
		for _, r := range v.page.layout.rows {
			if r.level > 0 {
				t := v.target
				t.heading, t.title = len(list)+1, strings.Repeat("  ", r.level-1)+strings.Trim(r.text, "# ")
				list = append(list, t)
			}
		}
	}
	if list == nil {
		b.say("This page has no headings.")
		return
	}
	p := newListing()
	p.section("1", "Contents", "", list)
	b.push(target{own: "Contents"}, p)
}

// history returns the pages of the visit, the last first.
func (b *Browser) history() (list []target) {
	seen := map[string]bool{}
	for _, v := range slices.Backward(b.visits) {
		if t := v.target; t.own == "" && !seen[b.key(t)] {
			seen[b.key(t)] = true
			t.title = b.name(t)
			list = append(list, t)
		}
	}
	return list
}

// showTalk shows the conversation that fetched the page.
func (b *Browser) showTalk() {
	v := b.visit()
	if v.target.own != "" {
		b.say("This page was not fetched.")
		return
	}
	text := string(v.page.talk)
	if text == "" {
		text = "There was no conversation.\n"
	}
	if len(v.page.talk) >= maxTalk {
		text += "[and more]\n"
	}
	b.showText("Conversation of "+b.name(v.target), text)
}

// showInfo shows what is known about the page.
func (b *Browser) showInfo() {
	v := b.visit()
	if v.page.doc == nil {
		b.say("Nothing is known about this page.")
		return
	}
	d := v.page.doc
	var s strings.Builder
	if e, ok := b.selected(); ok {
		fmt.Fprintf(&s, "Link: %s\n", render.Escape(b.schemes.Redact(e.URI)))
	}
	for _, r := range d.Via {
		fmt.Fprintf(&s, "Redirected: %s\n", render.Escape(b.schemes.Redact(r.URI)+" ("+r.Reason+")"))
	}
	fmt.Fprintf(&s, "Received: %d bytes\n\n", len(v.page.raw))
	render.Metadata(&s, d)
	b.showText("About "+b.name(v.target), s.String())
}
