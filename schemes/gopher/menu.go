package gopher

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/uri/links"
)

// malformedHeader counts the malformed lines of a menu. It is set when the whole menu was read.
const malformedHeader = "Malformed-Lines"

// A menu parses the lines of a menu.
type menu struct {
	*request
	doc    *fetch.Document
	most   int  // bytes of a line
	last   byte // type of the previous item, which a mirror (+) shares
	bad    int
	strict reporter
}

func newMenu(r *request, d *fetch.Document, mostLine int, strict reporter) *menu {
	return &menu{request: r, doc: d, strict: strict, most: mostLine, last: itemMenu}
}

// entries yields one Entry for each line, or for each item of a menu with the attributes of Gopher+. A line of one dot is not the end here
// either: programs that a server runs write their own.
func (m *menu) entries(r io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		lines := lineproto.NewScanner(r, m.most)
		if lines.Scan() && strings.HasPrefix(lines.Text(), infoMark) {
			for a, err := range attributesOf(lines) {
				if err != nil {
					m.end(err, yield)
					return
				}
				e := m.entry(a.info)
				a.intoEntry(&e)
				if !yield(e, nil) {
					return
				}
			}
			m.end(nil, yield)
			return
		}
		for more := lines.Err() == nil; more; more = lines.Scan() {
			if line := lines.Text(); line != "." && line != "" && !yield(m.entry(line), nil) {
				return
			}
		}
		m.end(lines.Err(), yield)
	}
}

// end counts the malformed lines, and yields the error that ended the menu early.
func (m *menu) end(err error, yield func(fetch.Entry, error) bool) {
	if m.bad > 0 {
		m.doc.Header.Set(malformedHeader, strconv.Itoa(m.bad))
	}
	if err = fetch.LineError(err, m.most); err != nil {
		yield(fetch.Entry{}, err)
	}
}

// entry parses one line.
func (m *menu) entry(line string) fetch.Entry {
	it, ok := links.ParseMenuItem(line)
	if !ok {
		return m.malformed(line, "fields are missing")
	}
	if !isKnown(it.Type) {
		m.strict("RFC 1436 section 3.8", "the menu", "an item of the unknown type %q", it.Type)
	}
	e := fetch.Entry{Title: it.Name, Kind: entryKind(it.Type), Size: -1}
	switch it.Type {
	case itemInfo:
		return e
	case itemError:
		e.Attr = map[string][]string{"item": {"3"}}
		return e
	case itemMirror:
		it.Type = m.last
		e.Kind, e.Attr = entryKind(it.Type), map[string][]string{"mirror": {"of the item before"}}
	}
	if e.URI, ok = it.URI(m.schemeOf(it)); !ok {
		return m.malformed(line, "host, port or URL do not form a URI")
	}
	m.last = it.Type
	m.describe(&e, it)
	return e
}

func (m *menu) describe(e *fetch.Entry, it links.MenuItem) {
	if _, _, link := it.Referral(); link && it.Type == itemHTML {
		e.Kind = fetch.KindLink
	} else if e.Kind != fetch.KindSession {
		e.Type, _ = nameType(it.Type, it.Selector)
	}
	if strings.HasPrefix(it.Plus, "?") { // Gopher+: the item has a form to fill in
		if e.Attr == nil {
			e.Attr = map[string][]string{}
		}
		e.Attr["ask"] = []string{"+ASK"}
	}
}

// schemeOf returns gophers for items of the server that was requested by gophers, because a menu cannot express TLS.
func (r *request) schemeOf(it links.MenuItem) string {
	if r.Scheme == "gophers" && it.Port == strconv.Itoa(r.Port) && strings.EqualFold(it.Host, r.Host) {
		return r.Scheme
	}
	return "gopher"
}

func (m *menu) malformed(line, why string) fetch.Entry {
	m.bad++
	m.strict(textRule, "the menu", "an item of which %s", why)
	return fetch.Entry{Title: line, Kind: fetch.KindUnknown, Size: -1, Attr: map[string][]string{"malformed": {why}}}
}
