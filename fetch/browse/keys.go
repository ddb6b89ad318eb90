package browse

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Key is one key: the character that it types, or a name. The names below have a meaning.
type Key string

const (
	Enter     Key = "Enter"
	Escape    Key = "Esc"
	Backspace Key = "Backspace"
	Delete    Key = "Delete"
	Tab       Key = "Tab"
	BackTab   Key = "Backtab"
	Up        Key = "Up"
	Down      Key = "Down"
	Left      Key = "Left"
	Right     Key = "Right"
	PageUp    Key = "PgUp"
	PageDown  Key = "PgDn"
	Home      Key = "Home"
	End       Key = "End"
	Interrupt Key = "Ctrl-C"
	ClearLine Key = "Ctrl-U"
)

// isText reports whether the key types a character.
func (k Key) isText() bool {
	r, n := utf8.DecodeRuneInString(string(k))
	return r >= ' ' && r != 0x7f && (n == len(k) || r >= 0x80) // a character, or one with combining marks
}

// A binding is what keys do.
type binding struct {
	keys string // with blanks between them; that of the blank is Space
	what string
	do   func(*Browser)
}

// bindings returns all keys, in the order of the help page.
func bindings() []binding {
	return []binding{
		{"Down Tab", "select the next link, or scroll", func(b *Browser) { b.next(1) }},
		{"Up Backtab", "select the link before, or scroll", func(b *Browser) { b.next(-1) }},
		{"Enter Right", "open the selected link; a number and Enter opens that link", (*Browser).follow},
		{"Left b Backspace", "go back", func(b *Browser) { b.move(-1) }},
		{"f", "go forward", func(b *Browser) { b.move(1) }},
		{"PgDn Space", "scroll a page down", func(b *Browser) { b.Scroll(b.body()) }},
		{"PgUp -", "scroll a page up", func(b *Browser) { b.Scroll(-b.body()) }},
		{"j", "scroll a line down", func(b *Browser) { b.Scroll(1) }},
		{"k", "scroll a line up", func(b *Browser) { b.Scroll(-1) }},
		{"Home", "go to the beginning", func(b *Browser) { b.Scroll(-1 << 30) }},
		{"End", "go to the end", func(b *Browser) { b.Scroll(1 << 30) }},
		{"g", "open an address", (*Browser).askAddress},
		{"u", "open the directory above", (*Browser).above},
		{"/", "find text in the page", (*Browser).askPattern},
		{"t", "show the table of contents: the headings of the page", (*Browser).showContents},
		{"n", "find the next", func(b *Browser) { b.find(1) }},
		{"N", "find the one before", func(b *Browser) { b.find(-1) }},
		{"S", "search this document or server for words", (*Browser).searchPage},
		{"r", "reload the page", (*Browser).reload},
		{"H", "show the history", (*Browser).showHistory},
		{"B", "show the start page: bookmarks, history and places", (*Browser).showStart},
		{"a", "add a bookmark for the page", (*Browser).addBookmark},
		{"d", "delete the selected bookmark", (*Browser).deleteBookmark},
		{"o", "open a document that is not text in another program", (*Browser).view},
		{"s", "save the document", (*Browser).askFile},
		{"m", "mirror the document and what is below it", (*Browser).askDirectory},
		{"p", "show the plan: what is sent for the selected link", (*Browser).showPlan},
		{"v", "show the conversation that fetched the page", (*Browser).showTalk},
		{"i", "show what is known about the page", (*Browser).showInfo},
		{"w", "turn the wrapping of long lines off and on", (*Browser).toggleWrap},
		{"<", "scroll left, if lines are not wrapped", func(b *Browser) { b.sideways(-1) }},
		{">", "scroll right", func(b *Browser) { b.sideways(1) }},
		{"Esc Ctrl-C", "stop loading, saving or mirroring; leave a question", (*Browser).interrupt},
		{"? h", "show this list", (*Browser).showKeys},
		{"q", "leave a page of the browser's own, such as this; else quit", (*Browser).quit},
	}
}

// Keys returns the list of keys as text, for help.
func Keys() string {
	var s strings.Builder
	for _, x := range bindings() {
		fmt.Fprintf(&s, "  %-18s %s\n", strings.ReplaceAll(x.keys, " ", ", "), x.what)
	}
	return s.String()
}

// Key does what a key means.
func (b *Browser) Key(k Key) {
	b.say("")
	switch {
	case b.prompt != nil:
		b.prompt.key(b, k)
	case len(k) == 1 && k[0] >= '0' && k[0] <= '9':
		b.askNumber(k)
	default:
		if k == " " {
			k = "Space"
		}
		for _, x := range bindings() {
			if slices.Contains(strings.Fields(x.keys), string(k)) {
				x.do(b)
				return
			}
		}
		b.say("This key has no meaning here; ? lists those that have.")
	}
}

// interrupt stops what is in progress.
func (b *Browser) interrupt() {
	switch {
	case b.stop():
		b.say("Stopped.")
	case b.job != nil:
		b.job.cancel()
		b.say("Stopping.")
	default:
		b.say("q quits.")
	}
}

// quit goes back from an own page. Otherwise it ends the visit, after a question if more than one document was opened.
func (b *Browser) quit() {
	switch v := b.visit(); {
	case v != nil && v.target.own != "" && b.at > 0:
		b.move(-1)
	case len(b.history()) > 1:
		b.ask("Quit (y/n)? ", "y", func(answer string) { b.over = isYes(answer) })
	default:
		b.over = true
	}
}

// showKeys shows the help page.
func (b *Browser) showKeys() {
	b.showText("Keys", "Keys\n\n"+Keys()+"\nThe wheel of the mouse scrolls, and a click opens a link; with Shift, most terminals select text.\n"+
		"Ctrl-L draws the screen again, Ctrl-Z suspends deref.\n")
}

// showText shows one of the browser's own pages.
func (b *Browser) showText(name, text string) { b.push(target{own: name}, &page{text: text}) }
