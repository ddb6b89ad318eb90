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
	do   func()
}

// bindings returns all keys, in the order of the help page.
func (b *Browser) bindings() []binding {
	return []binding{
		{"Down Tab", "select the next link, or scroll", func() { b.next(1) }},
		{"Up Backtab", "select the link before, or scroll", func() { b.next(-1) }},
		{"Enter Right", "open the selected link; a number and Enter opens that link", b.follow},
		{"Left b Backspace", "go back", func() { b.move(-1) }},
		{"f", "go forward", func() { b.move(1) }},
		{"PgDn Space", "scroll a page down", func() { b.Scroll(b.body()) }},
		{"PgUp -", "scroll a page up", func() { b.Scroll(-b.body()) }},
		{"j", "scroll a line down", func() { b.Scroll(1) }},
		{"k", "scroll a line up", func() { b.Scroll(-1) }},
		{"Home", "go to the beginning", func() { b.Scroll(-1 << 30) }},
		{"End", "go to the end", func() { b.Scroll(1 << 30) }},
		{"g", "open an address", b.askAddress},
		{"u", "open the directory above", b.above},
		{"/", "find text in the page", b.askPattern},
		{"t", "show the table of contents: the headings of the page", b.showContents},
		{"n", "find the next", func() { b.find(1) }},
		{"N", "find the one before", func() { b.find(-1) }},
		{"S", "search this document or server for words", b.searchPage},
		{"r", "reload the page", b.reload},
		{"H", "show the history", b.showHistory},
		{"B", "show the start page: bookmarks, history and places", b.showStart},
		{"a", "add a bookmark for the page", b.addBookmark},
		{"d", "delete the selected bookmark", b.deleteBookmark},
		{"o", "open a document that is not text in another program", b.view},
		{"s", "save the document", b.askFile},
		{"m", "mirror the document and what is below it", b.askDirectory},
		{"p", "show the plan: what is sent for the selected link", b.showPlan},
		{"v", "show the conversation that fetched the page", b.showTalk},
		{"i", "show what is known about the page", b.showInfo},
		{"w", "turn the wrapping of long lines off and on", b.toggleWrap},
		{"<", "scroll left, if lines are not wrapped", func() { b.sideways(-1) }},
		{">", "scroll right", func() { b.sideways(1) }},
		{"Esc Ctrl-C", "stop loading, saving or mirroring; leave a question", b.interrupt},
		{"? h", "show this list", b.showKeys},
		{"q", "leave a page of the browser's own, such as this; else quit", b.quit},
	}
}

// Keys returns the list of keys as text, for help.
func Keys() string {
	var s strings.Builder
	for _, x := range (&Browser{}).bindings() {
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
		b.goOn()
	case len(k) == 1 && k[0] >= '0' && k[0] <= '9':
		b.askNumber(k)
	default:
		if k == " " {
			k = "Space"
		}
		for _, x := range b.bindings() {
			if slices.Contains(strings.Fields(x.keys), string(k)) {
				x.do()
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
	case v.target.own != "" && b.at > 0:
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
