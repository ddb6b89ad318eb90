package render

import (
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// guessEntries is how many entries are held back for a guess.
const guessEntries = 200

// readable yields the entries of d with titles and attributes in UTF-8. One guess is made for the whole listing: from the first entry that is not
// ASCII on, entries are held back until 4 KiB of names, 200 entries, or the end. A name that is clearly in another charset is decoded in that.
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
	odd    []byte // names that are not UTF-8
}

// add adds an entry. It reports whether the entries that are held can be shown.
func (l *listingCharset) add(e fetch.Entry) bool {
	l.held = append(l.held, e)
	if l.label != "" {
		return true
	}
	l.name(e.Title)
	for _, name := range textAttributes(e) {
		for _, v := range e.Attr[name] {
			l.name(v)
		}
	}
	n := len(l.held)
	if n < guessEntries && n&(n-1) != 0 { // after 1, 2, 4, ... names, since each guess reads all of them
		return false
	}
	ok := l.guess(n >= guessEntries)
	if ok {
		l.names, l.odd = l.names[:0], l.odd[:0]
	}
	return ok
}

func (l *listingCharset) name(s string) {
	l.names = append(append(l.names, s...), '\n')
	if !utf8.ValidString(s) {
		l.odd = append(append(l.odd, s...), '\n')
	}
}

// guess guesses the charset. Names in UTF-8 among others are no evidence for that of the others. It returns false if it needs more names.
func (l *listingCharset) guess(whole bool) (ok bool) {
	l.label, ok = charset.Guess(l.names, whole)
	if odd, _ := charset.Guess(l.odd, true); l.label != charset.UTF8 && odd != "" && l.label != "" {
		l.label = odd
	}
	if l.label != "" && l.report != nil {
		l.report(l.label, charset.ByGuess)
	}
	return ok
}

// flush yields the entries that are held.
func (l *listingCharset) flush(yield func(fetch.Entry, error) bool) bool {
	if l.label == "" {
		l.guess(true)
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
	e.Title = charset.TextAmong(e.Title, l.label)
	var attr map[string][]string
	for _, name := range textAttributes(e) {
		for i, v := range e.Attr[name] {
			text := charset.TextAmong(v, l.label)
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

// textAttributes returns the names of the attributes that views show as text. Those of directories may be other bytes.
func textAttributes(e fetch.Entry) []string {
	if len(e.Attr) == 0 || e.Kind == fetch.KindEntry {
		return nil
	}
	return []string{"description", "from"}
}
