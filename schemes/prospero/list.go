package prospero

import (
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/internal/wire"
)

// list requests the links of a directory. before is the error of an earlier reply, which is returned instead of NOT-A-DIRECTORY.
func (s *session) list(before error) (*fetch.Document, error) {
	c, err := s.send(s.plan.When(ifDirectory))
	if err != nil {
		return nil, err
	}
	l := &lister{session: s, scan: wire.NewScanner(c, s.env.Limits().Reply)}
	l.odd = func(text string) { s.env.Deviates("Prospero protocol 5, LINK", "a LINK line", "%s", text) }
	line, err := l.scan.Line()
	switch refused := failure(line); {
	case isNotFound(refused) && before != nil:
		return nil, before
	case refused != nil:
		return nil, refused
	case err == io.EOF:
		line = nil
	case err != nil:
		return nil, err
	}
	if len(line) > 0 && line[0] == "FORWARDED" {
		about := info{}
		about.add(line)
		if list := s.elsewhere(about); len(list) > 0 {
			return referring(list...), nil
		}
	}
	c.startBody()
	return fetch.NewListing(l.entries(line)), nil
}

// A lister parses LINK lines, each with its ATTRIBUTE lines.
type lister struct {
	*session
	scan     *wire.Scanner
	current  *link
	last     []link            // the last one that is not a union
	unions   []link            // their entries belong to the directory, and are yielded last
	kept     int               // bytes of the lines of current and unions, limited like a reply
	ofUnions int               // those of unions alone
	answered bool              // also an empty directory has an answer
	odd      func(text string) // reports a deviation of a LINK line
}

// entries yields the links in the server's order.
func (l *lister) entries(line []string) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		var err error
		for line != nil {
			if refused := failure(line); refused != nil {
				yield(fetch.Entry{}, refused)
				return
			}
			for _, e := range l.parse(line) {
				if !yield(e, nil) {
					return
				}
			}
			if most := l.scan.Most; most >= 0 && l.kept > most {
				yield(fetch.Entry{}, fetch.Errorf(fetch.ErrLimit, "a link, or the union links of the directory, have more than %d bytes", most))
				return
			}
			if line, err = l.scan.Line(); err != nil && err != io.EOF {
				yield(fetch.Entry{}, err)
				return
			}
		}
		if !l.answered {
			yield(fetch.Entry{}, fetch.Errorf(fetch.ErrProtocol, "the reply does not answer the request for a directory"))
			return
		}
		for _, e := range l.rest() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// parse parses a line and returns the entries that it completes.
func (l *lister) parse(line []string) (done []fetch.Entry) {
	switch line[0] {
	case "LINK", "UNRESOLVED", "NONE-FOUND", "SUCCESS":
		l.answered = true
	}
	switch line[0] {
	case "LINK":
		done = l.flush()
		if k, ok := parseLink(line); ok {
			l.keep(&k, line)
		} else {
			l.odd(strconv.Itoa(len(line)) + " words instead of 8")
			done = append(done, fetch.Entry{Kind: fetch.KindUnknown, Title: strings.Join(line, " "), Size: -1})
		}
	case "ATTRIBUTE":
		if a, ok := parseAttribute(line); ok && l.current != nil {
			l.current.attributes = append(l.current.attributes, a)
			l.keep(l.current, line)
		}
	case "UNRESOLVED":
		return append(l.flush(), l.unresolved(line[1:])...)
	}
	return done
}

// keep makes k the current link, to which line belongs.
func (l *lister) keep(k *link, line []string) {
	l.current = k
	for _, word := range line {
		l.kept += len(word)
	}
}

func (l *lister) flush() []fetch.Entry {
	if l.current == nil {
		return nil
	}
	k := *l.current
	l.current = nil
	if k.union {
		l.unions, l.ofUnions = append(l.unions, k), l.kept
		return nil
	}
	l.last, l.kept = []link{k}, l.ofUnions
	return []fetch.Entry{l.entry(k)}
}

// rest returns the entries after the last line.
func (l *lister) rest() []fetch.Entry {
	list := l.flush()
	for _, k := range l.unions {
		list = append(list, l.entry(k))
	}
	return list
}

// unresolved returns the entries for components that remain after the last link, or after one of the unions.
func (l *lister) unresolved(rest []string) (list []fetch.Entry) {
	for _, k := range append(l.last, l.unions...) {
		if u, ok := l.prospero(k.at, rest...); ok {
			list = append(list, fetch.Entry{URI: u, Title: strings.Join(rest, "/"), Kind: fetch.KindLink, Size: -1})
		}
	}
	return list
}

// entry converts a link. The URI of an EXTERNAL link is that of its access method.
func (s *session) entry(k link) fetch.Entry {
	e := fetch.Entry{Title: k.name, Kind: kindOf(k.target), Size: sizeOf(k.attributes), Modified: modified(k.attributes), Attr: map[string][]string{}}
	if !e.Modified.IsZero() {
		e.Precision = time.Second
	}
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
		e.Attr["target"] = []string{k.at.hsoname} // a name in some user's virtual system, which cannot be requested
	case "EXTERNAL":
		if list, _ := s.referrals(k.attributes, k.at); len(list) > 0 {
			e.URI = list[0].URI
		}
	default:
		e.URI, _ = s.prospero(k.at)
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
