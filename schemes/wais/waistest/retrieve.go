package waistest

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"example.org/deref/schemes/wais/internal/z3950"
)

// retrieve returns the text of documents.
func (s *server) retrieve(r *response, d *database, name string, q *z3950.Search) ([]byte, bool) {
	if d == nil {
		return s.crash("retrieval from the database %s, which there is not", name)
	}
	for _, doc := range q.Documents {
		doc.Type = capitals(doc.Type)
		s.Net.Note(fmt.Sprintf("retrieve %s %s %c %d-%d", name, doc.Type, max(doc.Unit, '-'), doc.Start, doc.End))
		id, err := z3950.ParseDocID(doc.DocID)
		_, database := id.Get(z3950.DistributorDatabase, z3950.OriginalDatabase)
		switch {
		case doc.Type == "":
			return s.crash("retrieval without a type")
		case err == nil && len(id) > 0 && !database:
			return s.crash("a DocID without a database")
		case doc.Unit != z3950.Whole && doc.End <= doc.Start:
			return s.crash("an end before the start")
		}
		text, ok := d.lookUp(doc.DocID, doc.Type)
		if !ok {
			r.Diagnostics = append(r.Diagnostics, outOfRange("Missing DocID in request"))
			continue
		}
		d.cut(r, doc, text)
	}
	return finish(r), true
}

// outOfRange returns the diagnostic of a document or a part that is missing.
func outOfRange(text string) z3950.Diagnostic {
	return z3950.Diagnostic{Code: "SF", Text: text, Surrogate: 1}
}

// capitals cuts a type at the first byte that is not a capital letter, as freeWAIS does.
func capitals(t string) string {
	i := strings.IndexFunc(t, func(c rune) bool { return c < 'A' || c > 'Z' })
	if i < 0 {
		return t
	}
	return t[:i]
}

// cut returns the requested part.
func (d *database) cut(r *response, doc z3950.Request, text []byte) {
	switch doc.Unit {
	case z3950.Line:
		text = lineRange(text, doc.Start, doc.End)
	case z3950.Byte:
		if doc.End > len(text) {
			r.Diagnostics = append(r.Diagnostics, outOfRange("Request out of range"))
		}
		if doc.Start > len(text) {
			return
		}
		text = text[doc.Start:min(doc.End, len(text))]
	default:
		return // QUIRK: without a range, or with one of paragraphs, freeWAIS returns no useful text
	}
	r.Texts = append(r.Texts, z3950.Text{DocID: doc.DocID, Text: text[:len(text):len(text)]})
}

// lineRange returns the lines from start to before end.
func lineRange(text []byte, start, end int) []byte {
	var out []byte
	i := 0
	for line := range bytes.Lines(text) {
		if i >= start && i < end {
			out = append(out, line...)
		}
		i++
	}
	if out == nil {
		out = []byte{}
	}
	return out
}

// lookUp returns the text of a document in one of its types.
func (d *database) lookUp(docID, wtype string) ([]byte, bool) {
	id, err := z3950.ParseDocID(docID)
	if err != nil {
		return nil, false
	}
	local, _ := id.Get(z3950.DistributorLocalID, z3950.OriginalLocalID)
	base, _ := id.Get(z3950.DistributorDatabase, z3950.OriginalDatabase)
	switch {
	case base != d.path && base != d.Name:
		return nil, false
	case local == "0 0 "+d.path+".src":
		return d.source(), true
	case local == "0 0 "+d.path+".cat":
		return d.catalogue(), true
	}
	for _, doc := range d.docs {
		if local == doc.localID() || local == doc.file && doc.start == 0 {
			return d.s.textOf(doc, wtype)
		}
	}
	return nil, false
}

func (s *server) textOf(doc *document, wtype string) ([]byte, bool) {
	if doc.text != nil {
		return doc.text, true
	}
	name := doc.file
	if len(doc.types) > 1 && slices.Contains(doc.types, wtype) {
		name = strings.TrimSuffix(name, path.Ext(name)) + "." + wtype
	}
	text, err := s.read(name)
	if err != nil {
		return nil, false
	}
	if name != doc.file {
		return text, true
	}
	return text[min(doc.start, len(text)):min(doc.end, len(text))], true
}
