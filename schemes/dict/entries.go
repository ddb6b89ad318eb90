package dict

import (
	"bufio"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/dictstring"
	"example.org/deref/uri"
)

// list gives d Entries, if it is a list of anything.
func (t *talk) list(d *fetch.Document, r *request, a *answer) {
	switch {
	case r.Command == "DEFINE" && r.N == 0:
		d.Entries = a.definitions()
	case r.Command == "MATCH":
		d.ListWith(t.linesWith(t.match))
	case r.lists():
		d.ListWith(t.linesWith(func(line string) fetch.Entry { return t.named(r.args[0], line) }))
	}
}

// definitions yields each definition, and behind it the lines of its text.
func (a *answer) definitions() iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		database, number := "", 0
		for {
			h, line, err := a.next()
			if err == io.EOF {
				return
			}
			e := fetch.Entry{Title: string(line), Kind: fetch.KindText, Size: -1}
			if h != nil {
				if h.database != database {
					database, number = h.database, 0
				}
				number++
				e = a.entry(h.word, "d", h.word, h.database, strconv.Itoa(number))
				e.Attr["description"] = []string{h.description}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// linesWith makes an Entry of each line.
func (t *talk) linesWith(entry func(string) fetch.Entry) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			lines := bufio.NewScanner(r)
			lines.Buffer(nil, math.MaxInt32) // the connection keeps the limit of lines
			for lines.Scan() {
				if !yield(entry(lines.Text()), nil) {
					return
				}
			}
			if err := lines.Err(); err != nil {
				yield(fetch.Entry{}, err)
			}
		}
	}
}

// match reads `database "word"` (RFC 2229 §3.3).
func (t *talk) match(line string) fetch.Entry {
	database, rest := dictstring.Cut(line)
	word, _ := dictstring.Cut(rest)
	return t.entry(word, "d", word, database)
}

// named reads `database "description"` or `strategy "description"` (RFC 2229 §3.5).
func (t *talk) named(what, line string) fetch.Entry {
	name, rest := dictstring.Cut(line)
	description, _ := dictstring.Cut(rest)
	if strings.HasPrefix(what, "D") {
		return t.entry(name+": "+description, "show", "info", name)
	}
	return fetch.Entry{Title: name + ": " + description, Kind: fetch.KindText, Size: -1, Attr: map[string][]string{"strategy": {name}}}
}

// entry leads to what the fields name on the same server.
func (t *talk) entry(title string, fields ...string) fetch.Entry {
	e := fetch.Entry{Title: title, Kind: fetch.KindEntry, Type: t.plan.Type, Size: -1, Attr: map[string][]string{"database": {fields[2]}}}
	for i, f := range fields {
		// what separates the fields, and the void field that would stand for the default
		fields[i] = strings.ReplaceAll(string(uri.Segment.Escape(uri.RFC3986, f)), ":", "%3A")
	}
	where, _ := t.plan.URI.WithoutUserinfo().Authority()
	u, err := uri.Parse("dict://" + string(where) + "/" + strings.Join(fields, ":"))
	if err != nil {
		e.Kind = fetch.KindUnknown
		return e
	}
	e.URI = u
	return e
}
