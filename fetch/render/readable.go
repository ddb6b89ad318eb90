package render

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// guessEntries is how many entries are held back for a guess.
const guessEntries = 200

// readable yields the entries of d with titles and attributes in UTF-8. One guess is made for the whole listing: from the first entry that is not
// ASCII on, entries are held back until 4 KiB of names, 200 entries, or the end. A name of a listing that the guess does not fit, such as one in
// UTF-8 among others, is decoded by itself.
func readable(d *fetch.Document, o *Options) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		l := listingCharset{report: o.Charset}
		if d.Charset != "" && o.Charset != nil { // the Client has decoded them
			o.Charset(d.Charset, charset.ByChoice)
			l.report = nil
		}
		for e, err := range d.Entries {
			if err != nil {
				if l.flush(yield) {
					yield(e, err)
				}
				return
			}
			if l.add(e) && !l.flush(yield) {
				return
			}
		}
		l.flush(yield)
	}
}

// A listingCharset finds the charset of a listing.
type listingCharset struct {
	report func(string, charset.How)
	label  string // "" as long as it is unknown
	held   []fetch.Entry
	names  []byte // of held
}

// add adds an entry. It reports whether the entries that are held can be shown.
func (l *listingCharset) add(e fetch.Entry) bool {
	l.held = append(l.held, e)
	if l.label != "" {
		return true
	}
	l.names = append(append(l.names, e.Title...), '\n')
	for _, name := range textAttributes(e) {
		l.names = append(append(l.names, strings.Join(e.Attr[name], "\n")...), '\n')
	}
	label, ok := charset.Guess(l.names, len(l.held) >= guessEntries)
	if l.found(label); ok {
		l.names = l.names[:0]
	}
	return ok
}

func (l *listingCharset) found(label string) {
	if l.label = label; label != "" && l.report != nil {
		l.report(label, charset.ByGuess)
	}
}

// flush yields the entries that are held.
func (l *listingCharset) flush(yield func(fetch.Entry, error) bool) bool {
	if l.label == "" {
		label, _ := charset.Guess(l.names, true)
		l.found(label)
	}
	for _, e := range l.held {
		if !yield(l.decoded(e), nil) {
			return false
		}
	}
	l.held = l.held[:0]
	return true
}

func (l *listingCharset) decoded(e fetch.Entry) fetch.Entry {
	e.Title = l.text(e.Title)
	var attr map[string][]string
	for _, name := range textAttributes(e) {
		for i, v := range e.Attr[name] {
			text := l.text(v)
			if text == v {
				continue
			}
			if attr == nil {
				attr = maps.Clone(e.Attr)
			}
			attr[name] = slices.Clone(attr[name])
			attr[name][i] = text
		}
	}
	if attr != nil {
		e.Attr = attr
	}
	return e
}

// text decodes a name. Valid UTF-8 of some length is that in any listing.
func (l *listingCharset) text(s string) string {
	switch {
	case charset.Lookup(l.label) == nil:
		return charset.Text(s)
	case utf8.ValidString(s) && utf8.RuneCountInString(s) < len(s)-2:
		return s
	}
	return charset.TextIn(s, l.label)
}

// textAttributes returns the names of the attributes that views show as text. Those of directories may be other bytes.
func textAttributes(e fetch.Entry) []string {
	if len(e.Attr) == 0 || e.Kind == fetch.KindEntry {
		return nil
	}
	return []string{"description", "from"}
}
