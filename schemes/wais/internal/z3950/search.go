package z3950

import (
	"strconv"
	"strings"
)

// Query types.
const (
	Words     = '3' // words, and similar documents
	Retrieval = '1' // a document by its DocID
)

// A Search is any request: for headlines by words (type 3), or for the text of documents (type 1). What all clients send alike has no field: the
// sizes of sets, the names of the result set and of the elements.
type Search struct {
	Databases   []string // joined by 1F; some servers use only the first
	Type        byte
	ReferenceID string

	Words      string
	Like       []Feedback
	DateFactor int // 1 any date, 2 prefer later, 3 prefer earlier, 4 from Begin to End
	Begin, End string
	Max        int

	Documents []Request
}

// Units of a part of a document. The last three are the letters of attribute lists, as in "wb".
const (
	Whole     = 0
	Byte      = 'b'
	Line      = 'l'
	Paragraph = 'p'
)

// A Feedback is a document, or a part of one, for relevance feedback.
type Feedback struct {
	DocID, Type string
	Unit        byte
	Start, End  int
}

// A Request is a part [Start,End) of a document. Servers crash if End <= Start, or without a Type.
type Request struct {
	DocID, Type string
	Unit        byte // Whole sends no part, and servers then return nothing
	Start, End  int
}

// NewWords returns a search for words.
func NewWords(words string, most int, databases ...string) *Search {
	return &Search{Databases: databases, Type: Words, Words: words, DateFactor: 1, Max: most}
}

// NewRetrieval returns a retrieval as all clients send it.
func NewRetrieval(database string, r Request) *Search {
	return &Search{Databases: []string{database}, Type: Retrieval, ReferenceID: "3", Documents: []Request{r}}
}

// Append appends the APDU.
func (s *Search) Append(b []byte) []byte {
	small, large, medium, set, elements := 30, 5000, 30, "", ""
	if s.Type == Retrieval {
		small, large, medium, set, elements = 10, 16, 15, "FOO", " \x1fDocument Text"
	}
	body := appendFixed(appendFixed(appendFixed(nil, 3, small), 3, large), 3, medium)
	body = AppendElement(append(body, 1), tagResultSetName, set) // 1: replace the set
	if len(s.Databases) > 0 {
		body = AppendElement(body, tagDatabaseNames, strings.Join(s.Databases, "\x1f"))
	}
	body = AppendElement(body, tagQueryType, []byte{s.Type})
	body = appendText(body, tagElementSetNames, elements)
	body = appendText(body, tagReferenceID, s.ReferenceID)
	if s.Type == Retrieval {
		return finish(b, PDUSearch, body, AppendElement(nil, tagQuery, s.terms()))
	}
	return finish(b, PDUSearch, body, AppendElement(nil, tagUserInformation, s.words()))
}

func (s *Search) words() (b []byte) {
	b = AppendElement(b, tagSeedWords, s.Words)
	for _, f := range s.Like {
		b = f.append(b)
	}
	return s.limits().append(b)
}

// limits are the fields that restrict which documents are found.
func (s *Search) limits() fields {
	return fields{{tagDateFactor, &s.DateFactor}, {tagBeginDate, &s.Begin}, {tagEndDate, &s.End}, {tagMaxDocuments, &s.Max}}
}

func (f Feedback) append(b []byte) []byte {
	if f.Unit == Whole {
		return appendText(AppendElement(b, tagDocumentID, f.DocID), tagType, f.Type)
	}
	b = appendText(AppendElement(b, tagDocumentIDChunk, f.DocID), tagType, f.Type)
	b = appendNumber(b, tagChunkCode, chunkCode(f.Unit))
	return appendNumber(appendNumber(b, tagChunkStart, f.Start), tagChunkEnd, f.End)
}

func chunkCode(unit byte) int { return strings.IndexByte("\x00blp", unit) }

// terms returns the terms in postfix order. Attributes are use, relation, position, structure, truncation, completeness.
func (s *Search) terms() (b []byte) {
	for i, d := range s.Documents {
		b = appendTerm(b, "un re", d.DocID, "")
		if d.Type != "" {
			b = appendTerm(b, "wt re", d.Type, "a")
		}
		if d.Unit != Whole {
			use := "w" + string(rune(d.Unit))
			b = appendTerm(b, use+" ro", strconv.Itoa(d.Start), "a")
			b = appendTerm(b, use+" rl", strconv.Itoa(d.End), "a")
		}
		if i > 0 {
			b = AppendElement(b, tagOperator, "o")
		}
	}
	return b
}

func appendTerm(b []byte, attributes, term, operator string) []byte {
	b = AppendElement(b, tagAttributeList, attributes+" ig ig ig ig")
	return appendText(AppendElement(b, tagTerm, term), tagOperator, operator)
}
