package waistest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/waissource"
	"example.org/deref/schemes/wais/internal/z3950"
)

// answer returns the APDU of the response, empty if there is none. ok is false where freeWAIS would crash.
func (s *server) answer(apdu []byte) (answer []byte, ok bool) {
	pdu, _, _, err := z3950.Split(apdu)
	switch {
	case err != nil:
		s.Net.Note("malformed: " + err.Error())
	case pdu == z3950.PDUInit:
		return s.init(apdu), true
	case pdu == z3950.PDUSearch:
		return s.search(apdu)
	default:
		s.Net.Note(fmt.Sprintf("APDU of the type %d", pdu))
	}
	return nil, true
}

// init agrees to the supported options.
func (s *server) init(apdu []byte) []byte {
	m, err := z3950.ParseInit(apdu)
	if err != nil {
		s.Net.Note("malformed: " + err.Error())
		return nil
	}
	s.Net.Note("init")
	size := func(n int) int {
		if n <= 0 {
			return s.o.Size
		}
		return min(n, s.o.Size)
	}
	r := &z3950.Init{Accepted: m.Options == z3950.CanSearch, Options: z3950.CanSearch, PreferredSize: size(m.PreferredSize), MaximumSize: size(m.MaximumSize),
		ID: s.o.ID, Name: s.o.Name, Version: s.o.Version, ReferenceID: m.ReferenceID}
	return r.AppendInitResponse(nil)
}

// crash records where the real server would crash.
func (s *server) crash(format string, args ...any) ([]byte, bool) {
	s.Net.Note("crash: " + fmt.Sprintf(format, args...))
	return nil, false
}

// search responds to a request of either type.
func (s *server) search(apdu []byte) ([]byte, bool) {
	q, err := z3950.ParseSearch(apdu)
	if err != nil {
		s.Net.Note("malformed: " + err.Error())
		return nil, true
	}
	name := info
	if len(q.Databases) > 0 {
		name = q.Databases[0] // QUIRK: freeWAIS ignores the others
	}
	d := s.databases[name]
	if d != nil {
		d.load()
	}
	r := &z3950.Response{ResultSetStatus: -1, ReferenceID: q.ReferenceID}
	if q.Type == z3950.Retrieval {
		return s.retrieve(r, d, name, q)
	}
	s.Net.Note("search " + name + " " + q.Words)
	if said := s.check(d, name, q); said != "" {
		r.Diagnostics = append(r.Diagnostics, z3950.Diagnostic{Code: "S1", Text: said})
	}
	if d != nil {
		d.answer(r, q)
	}
	return finish(r), true
}

// check returns the error in a search, "" if it is valid. Like freeWAIS-sf it parses the words before it looks for the database, so "?" for
// a missing database is a syntax error.
func (s *server) check(d *database, name string, q *z3950.Search) string {
	switch {
	case q.Words == "" && len(q.Like) == 0, isNeighbour(q):
		return "" // not searched at all
	case !isQuery(q.Words):
		return "query syntax error: " + q.Words
	case d == nil:
		return "The following database is not available: " + s.o.Folder + name
	}
	for _, f := range waissource.FieldsOf(q.Words) {
		if !slices.Contains(d.Fields, f) {
			return "field unexists: " + f + "\n"
		}
	}
	return ""
}

// isQuery reports whether there is a word to search for. "*" is one, "?" is not.
func isQuery(words string) bool {
	return strings.Contains(words, "*") || slices.ContainsFunc(tokens(words), func(w string) bool { return w != "and" && w != "or" && w != "not" })
}

func isNeighbour(q *z3950.Search) bool {
	return len(q.Like) > 0 && (q.Like[0].Type == "WAIS_NEXT" || q.Like[0].Type == "WAIS_PREV")
}

func finish(r *response) []byte {
	r.Returned = len(r.Hits) + len(r.Texts) + len(r.Diagnostics)
	return r.Append(nil)
}

type response = z3950.Response

// answer searches for words. Empty ones, and those that begin with ? or *, request help.
func (d *database) answer(r *response, q *z3950.Search) {
	words := q.Words
	if isNeighbour(q) {
		d.neighbor(r, q.Like[0])
		return
	}
	most := q.Max
	loopback.Default(&most, defaultMax)
	if strings.HasPrefix(words, "?") || strings.HasPrefix(words, "*") || words == "" && len(q.Like) == 0 {
		r.Hits = []z3950.Hit{
			d.own(".src", "WSRC", 1000, "Information on database: "+d.Name, d.source()),
			d.own(".cat", "TEXT", 1000, "Catalog for database: "+d.Name, d.catalogue()),
		}
	}
	if len(r.Diagnostics) == 0 && words != "" {
		r.Status = 1
		for _, f := range q.Like {
			words += " " + d.wordsOf(f)
		}
		r.Hits = append(r.Hits, d.hits(words, most-len(r.Hits))...)
	}
	if len(r.Hits) == 0 {
		r.Hits = []z3950.Hit{d.own(".cat", "TEXT", 0, "Search produced no result. Here's the Catalog for database: "+d.Name, d.catalogue())}
	}
}

// defaultMax is the default number of hits.
const defaultMax = 40

func (d *database) hits(words string, most int) (list []z3950.Hit) {
	for _, r := range d.search(words) {
		if len(list) >= most {
			break
		}
		h := d.describe(d.docs[r.doc])
		h.Score, h.BestMatch = r.score, 0
		list = append(list, h)
	}
	return list
}

// describe returns the hit of a document.
func (d *database) describe(doc *document) z3950.Hit {
	h := z3950.NewHit()
	h.DocID, h.Length, h.Lines, h.Types = d.docID(doc), doc.end-doc.start, doc.lines, doc.types
	h.Source, h.Date, h.Headline = d.path, cmp.Or(doc.date, "0"), doc.headline
	return h
}

// own returns the hit of the source file or the catalogue.
//
// QUIRK: freeWAIS counts one line too many in a source file.
func (d *database) own(suffix, wtype string, score int, headline string, text []byte) z3950.Hit {
	h := z3950.NewHit()
	h.DocID, h.Score, h.Length, h.Lines, h.Types, h.Source, h.Headline = d.ownID(suffix), score, len(text), lines(text)+1, []string{wtype}, d.Name, headline
	return h
}

// neighbor describes the next or previous document.
func (d *database) neighbor(r *response, f z3950.Feedback) {
	step := 1
	if f.Type == "WAIS_PREV" {
		step = -1
	}
	r.Status = 1
	for i, doc := range d.docs {
		if d.docID(doc) == f.DocID && i+step >= 0 && i+step < len(d.docs) {
			r.Hits = []z3950.Hit{d.describe(d.docs[i+step])}
		}
	}
}

// wordsOf returns the words of a document for relevance feedback.
func (d *database) wordsOf(f z3950.Feedback) string {
	text, ok := d.lookUp(f.DocID, f.Type)
	if !ok {
		return ""
	}
	switch f.Unit {
	case z3950.Byte:
		text = text[min(f.Start, len(text)):min(max(f.Start, f.End), len(text))]
	case z3950.Line:
		text = lineRange(text, f.Start, f.End)
	}
	return strings.Join(tokens(string(text)), " ")
}
