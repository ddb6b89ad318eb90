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
func (t *talk) list(d *fetch.Document, r *request) {
	switch {
	case r.Command == "DEFINE" && r.N == 0:
		d.ListWith(t.definitions(string(r.Word)))
	case r.Command == "MATCH":
		d.ListWith(t.linesWith(t.match))
	case r.lists():
		d.ListWith(t.linesWith(func(line string) fetch.Entry { return t.named(r.args[0], line) }))
	}
}

// definitions makes an Entry of each definition, and after it of each line of its text. They are read from the Body, so that an archive gets
// all of it: a line that looks like a head, before an empty line and at the beginning or after another empty line, is one.
func (t *talk) definitions(word string) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			wanted := true
			text := func(s string) { wanted = wanted && yield(fetch.Entry{Title: s, Kind: fetch.KindText, Size: -1}, nil) }
			lines := scan(r)
			database, number := "", 0
			begin, held := true, false // an empty line is held back: it may belong to the head after it
			for more := lines.Scan(); more && wanted; begin = false {
				line := lines.Text()
				more = lines.Scan()
				h, ok := cutHead(line)
				if ok && (begin || held) && more && lines.Text() == "" {
					if h.database != database {
						database, number = h.database, 0
					}
					number++
					e := t.entry(word, "d", word, h.database, strconv.Itoa(number))
					e.Attr["description"] = []string{h.description}
					wanted, held = yield(e, nil), false
					more = lines.Scan()
					continue
				}
				if held {
					text("")
				}
				if held = line == ""; !held {
					text(line)
				}
			}
			if held {
				text("")
			}
			if err := lines.Err(); err != nil && wanted {
				yield(fetch.Entry{}, err)
			}
		}
	}
}

// cutHead reads what appendTo writes.
func cutHead(line string) (h head, ok bool) {
	line, from := strings.CutPrefix(line, "From ")
	line, to := strings.CutSuffix(line, "]:")
	at := strings.LastIndex(line, " [")
	if !from || !to || at < 0 {
		return h, false
	}
	return head{description: line[:at], database: line[at+2:]}, true
}

// scan reads lines; the connection keeps their limit.
func scan(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, math.MaxInt32)
	return lines
}

// linesWith makes an Entry of each line.
func (t *talk) linesWith(entry func(string) fetch.Entry) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			lines := scan(r)
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
