package prospero

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/internal/wire"
)

// list asks for the links of a directory. before is what the server has said of the object, which outranks NOT-A-DIRECTORY.
func (r *request) list(before error) (*fetch.Document, error) {
	c, err := r.ask(r.plan.When(ifDirectory))
	if err != nil {
		return nil, err
	}
	l := &lister{r: r, s: wire.NewScanner(c, r.env.Limits().Reply)}
	line, err := l.s.Line()
	switch refused := failure(line); {
	case isNotFound(refused) && before != nil:
		return nil, before
	case refused != nil:
		return nil, refused
	case err == io.EOF:
		line = nil
	case err != nil:
		return nil, r.explained(c, err)
	}
	if len(line) > 0 && line[0] == "FORWARDED" {
		about := info{}
		about.take(line)
		if list := r.elsewhere(about); len(list) > 0 {
			return referring(list...), nil
		}
	}
	c.streams()
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) { l.entries(line)(yield) }), nil
}

// A lister reads LINK lines, each with the ATTRIBUTE lines that belong to it.
type lister struct {
	r      *request
	s      *wire.Scanner
	now    *link
	before []link // the latest one that is no union
	unions []link // their entries belong into the directory: they come last
	heard  bool   // a line that answers: a directory without links has one, too
}

// entries are the links in the server's order.
func (l *lister) entries(line []string) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		var err error
		for line != nil {
			if refused := failure(line); refused != nil {
				yield(fetch.Entry{}, refused)
				return
			}
			for _, e := range l.take(line) {
				if !yield(e, nil) {
					return
				}
			}
			if line, err = l.s.Line(); err != nil && err != io.EOF {
				yield(fetch.Entry{}, err)
				return
			}
		}
		if !l.heard {
			yield(fetch.Entry{}, fetch.Errorf(fetch.ErrProtocol, "the server's reply says nothing of the directory"))
			return
		}
		for _, e := range l.last() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// take reads a line and returns the entry that it has completed.
func (l *lister) take(line []string) (done []fetch.Entry) {
	switch line[0] {
	case "LINK", "UNRESOLVED", "NONE-FOUND", "SUCCESS":
		l.heard = true
	}
	switch line[0] {
	case "LINK":
		done = l.flush()
		if k, ok := parseLink(line); ok {
			l.now = &k
		} else {
			done = append(done, fetch.Entry{Kind: fetch.KindUnknown, Title: strings.Join(line, " "), Size: -1})
		}
	case "ATTRIBUTE":
		if a, ok := parseAttribute(line); ok && l.now != nil && len(l.now.attributes) < mostAttributes {
			l.now.attributes = append(l.now.attributes, a)
		}
	case "UNRESOLVED":
		return append(l.flush(), l.unresolved(line[1:])...)
	}
	return done
}

func (l *lister) flush() []fetch.Entry {
	if l.now == nil {
		return nil
	}
	k := *l.now
	l.now = nil
	if k.union && len(l.unions) < mostAttributes {
		l.unions = append(l.unions, k)
		return nil
	}
	l.before = []link{k}
	return []fetch.Entry{l.r.entry(k)}
}

func (l *lister) last() []fetch.Entry {
	list := l.flush()
	for _, k := range l.unions {
		list = append(list, l.r.entry(k))
	}
	return list
}

// unresolved are components that remain behind the link just given, or behind one of the unions.
func (l *lister) unresolved(rest []string) (list []fetch.Entry) {
	for _, k := range append(l.before, l.unions...) {
		if u, ok := l.r.prospero(k.at, rest...); ok {
			list = append(list, fetch.Entry{URI: u, Title: strings.Join(rest, "/"), Kind: fetch.KindLink, Size: -1})
		}
	}
	return list
}

// entry is a link as people and programs see it. A link that is EXTERNAL is known by its method, not by Prospero.
func (r *request) entry(k link) fetch.Entry {
	e := fetch.Entry{Title: k.name, Kind: kindOf(k.target), Size: sizeOf(k.attributes), Modified: modified(k.attributes), Attr: map[string][]string{}}
	for _, a := range k.attributes {
		if a.name != "SIZE" && a.name != "LAST-MODIFIED" {
			e.Attr[strings.ToLower(a.name)] = append(e.Attr[strings.ToLower(a.name)], a.text())
		}
	}
	if k.union {
		e.Attr["union"] = []string{"yes"}
	}
	switch k.target {
	case "SYMBOLIC", "NULL":
		e.Attr["target"] = []string{k.at.hsoname} // a name in some user's virtual system: nobody can ask for it
	case "EXTERNAL":
		if list, _ := r.referrals(k.attributes, k.at); len(list) > 0 {
			e.URI = list[0].URI
		}
	default:
		e.URI, _ = r.prospero(k.at)
	}
	return e
}

func kindOf(target string) fetch.EntryKind {
	switch target {
	case "FILE", "OBJECT", "EXTERNAL":
		return fetch.KindFile
	case "DIRECTORY", "DIRECTORY+FILE":
		return fetch.KindDir
	case "SYMBOLIC":
		return fetch.KindLink
	}
	return fetch.KindUnknown
}
