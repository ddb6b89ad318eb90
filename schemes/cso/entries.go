package cso

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/uri"
)

// A lister parses the lines of a response into entries.
type lister struct {
	base   uri.URI
	most   int  // bytes of an entry, negative for no limit
	fields bool // the entries describe fields, not persons
}

func (l lister) entries(r io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		lines := lineproto.NewScanner(r, 0) // the connection limits the length of lines
		var p person
		for lines.Scan() {
			line := lines.Text()
			if line != "" {
				p.add(line)
			}
			switch {
			case l.most >= 0 && p.size > l.most:
				yield(fetch.Entry{}, fetch.Errorf(fetch.ErrLimit, "an entry is longer than %d bytes", l.most))
				return
			case line != "" || p.attr == nil:
			case !yield(l.entry(&p), nil):
				return
			default:
				p = person{}
			}
		}
		if err := lines.Err(); err != nil {
			yield(fetch.Entry{}, err)
		} else if p.attr != nil {
			yield(l.entry(&p), nil)
		}
	}
}

// A person is an entry whose fields are being read.
type person struct {
	attr  map[string][]string
	first string // name of the first field
	field string // name of the last
	size  int
}

// add parses "   name: value". An empty name continues the previous field (RFC 2378 §2.2).
func (p *person) add(line string) {
	name, value, ok := strings.Cut(line, ":")
	if name = strings.TrimSpace(name); !ok {
		name, value = "", line
	}
	if name != "" {
		p.field = name
	}
	if p.attr == nil {
		p.attr, p.first = map[string][]string{}, p.field
	}
	p.attr[p.field] = append(p.attr[p.field], strings.TrimSpace(value))
	p.size += len(line)
}

// entry refers to a person by the alias, which is unique. Without an alias the entry has no URI.
func (l lister) entry(p *person) fetch.Entry {
	e := fetch.Entry{Kind: fetch.KindText, Size: -1, Attr: p.attr}
	if l.fields {
		e.Title = p.first + ": " + strings.Join(p.attr[p.first], "; ")
		return e
	}
	for _, name := range []string{"name", "alias", p.first} {
		if v := p.attr[name]; len(v) > 0 {
			e.Title = strings.Join(v, " ")
			break
		}
	}
	if alias := p.attr["alias"]; len(alias) == 1 {
		where, _ := l.base.WithoutUserinfo().Authority()
		u, err := uri.Parse("cso://" + string(where) + "/alias=" + string(uri.Segment.Escape(uri.RFC3986, alias[0])))
		if err == nil {
			e.Kind, e.URI = fetch.KindEntry, u
		}
	}
	return e
}
