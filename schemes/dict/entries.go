package dict

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/uri"
)

// list sets d's Entries if the response is a list.
func (s *session) list(d *fetch.Document) {
	switch {
	case s.Command == "DEFINE" && s.N == 0:
		d.ListWith(s.definitions(string(s.Word)))
	case s.Command == "MATCH":
		d.ListWith(linesWith(s.match))
	case s.lists():
		d.ListWith(linesWith(func(line string) fetch.Entry { return s.named(s.args[0], line) }))
	}
}

// definitions yields an Entry for each definition, and one for each line of its text. It reads them from the Body, so that an archive gets
// the whole document. A line that looks like a head is one if an empty line follows, and if it is the first line or follows an empty one.
func (s *session) definitions(word string) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			wanted := true
			text := func(line string) {
				wanted = wanted && yield(fetch.Entry{Title: line, Kind: fetch.KindText, Size: -1}, nil)
			}
			lines := lineproto.NewScanner(r, 0)
			database, number := "", 0
			begin, held := true, false // held: an empty line that may belong to the next head
			for more := lines.Scan(); more && wanted; begin = false {
				line := lines.Text()
				more = lines.Scan()
				h, ok := cutHead(line)
				if ok && (begin || held) && more && lines.Text() == "" {
					if h.database != database {
						database, number = h.database, 0
					}
					number++
					e := s.entry(word, "d", word, h.database, strconv.Itoa(number))
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

// cutHead is the inverse of appendTo.
func cutHead(line string) (h head, ok bool) {
	line, from := strings.CutPrefix(line, "From ")
	line, to := strings.CutSuffix(line, "]:")
	at := strings.LastIndex(line, " [")
	if !from || !to || at < 0 {
		return h, false
	}
	return head{description: line[:at], database: line[at+2:]}, true
}

// linesWith yields an Entry for each line.
func linesWith(entry func(string) fetch.Entry) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(r io.Reader) iter.Seq2[fetch.Entry, error] { return lineproto.Entries(r, 0, entry) }
}

// match parses `database "word"` (RFC 2229 §3.3).
func (s *session) match(line string) fetch.Entry {
	database, rest := lineproto.CutString(line)
	word, _ := lineproto.CutString(rest)
	return s.entry(word, "d", word, database)
}

// named parses `database "description"` or `strategy "description"` (RFC 2229 §3.5).
func (s *session) named(what, line string) fetch.Entry {
	name, rest := lineproto.CutString(line)
	description, _ := lineproto.CutString(rest)
	if strings.HasPrefix(what, "D") {
		return s.entry(name+": "+description, "show", "info", name)
	}
	return fetch.Entry{Title: name + ": " + description, Kind: fetch.KindText, Size: -1, Attr: map[string][]string{"strategy": {name}}}
}

// entry returns an Entry whose URI has the given fields, on the same server.
func (s *session) entry(title string, fields ...string) fetch.Entry {
	e := fetch.Entry{Title: title, Kind: fetch.KindEntry, Type: s.plan.Type, Size: -1, Attr: map[string][]string{"database": {fields[2]}}}
	for i, f := range fields {
		// ":" separates the fields
		fields[i] = strings.ReplaceAll(string(uri.Segment.Escape(uri.RFC3986, f)), ":", "%3A")
	}
	where, _ := s.plan.URI.WithoutUserinfo().Authority()
	u, err := uri.Parse("dict://" + string(where) + "/" + strings.Join(fields, ":"))
	if err != nil {
		e.Kind = fetch.KindUnknown
		return e
	}
	e.URI = u
	return e
}
