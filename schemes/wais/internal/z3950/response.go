package z3950

// A Response is the response to any Search.
//
// QUIRK: Status is 1 for a successful search, and 0 for a successful retrieval and for a failed search (freeWAIS-sf 2.2.10, traces). It is not
// reliable. The numbers before and after Returned, of results and of the next one, are 0.
type Response struct {
	Status          byte
	Returned        int
	ResultSetStatus int // -1 absent
	PresentStatus   int // -1 absent
	ReferenceID     string

	SeedWords   string // that the server used
	Hits        []Hit
	Texts       []Text
	Diagnostics []Diagnostic
}

// A Hit describes a document. A number that is -1 and a text that is empty were not sent.
type Hit struct {
	DocID                        string
	Version, Score, BestMatch    int // BestMatch is a line
	Length, Lines                int // Length is in bytes
	Types                        []string
	Source, Date, Headline, City string
	Stock, Company, Industry     string // codes
}

// NewHit returns a description without fields.
func NewHit() Hit { return Hit{Version: -1, Score: -1, BestMatch: -1, Length: -1, Lines: -1} }

// A Text is a part of a document.
type Text struct {
	DocID   string
	Version int    // -1 absent
	Text    []byte // nil absent; a part of the APDU that was parsed
}

// A Diagnostic is an error report of a server.
type Diagnostic struct {
	Code      string // two characters
	Text      string
	Surrogate byte
}

// diagnosticEnd follows a diagnostic. The length does not include it.
const diagnosticEnd = 0x1d

// maxDiagnostic is longer than any real message.
const maxDiagnostic = 60000

// Append appends the APDU.
func (r *Response) Append(b []byte) []byte {
	body := []byte{r.Status}
	for _, n := range [...]int{0, r.Returned, 0} {
		body = appendFixed(body, 3, n)
	}
	return finish(b, PDUSearchResponse, r.fields().append(body), AppendElement(nil, tagUserInformation, r.user()))
}

func (r *Response) fields() fields {
	return fields{{tagResultSetStatus, &r.ResultSetStatus}, {tagPresentStatus, &r.PresentStatus}, {tagReferenceID, &r.ReferenceID}}
}

func (r *Response) user() (b []byte) {
	b = appendText(b, tagSeedWordsUsed, r.SeedWords)
	for i := range r.Hits {
		b = AppendElement(b, groupHeader, r.Hits[i].encode())
	}
	for i := range r.Texts {
		b = AppendElement(b, groupText, r.Texts[i].encode())
	}
	for _, d := range r.Diagnostics {
		b = d.append(b)
	}
	return b
}

// encode returns the elements of a hit. Source must follow the types at once, or the original reader treats another element as the source.
func (h *Hit) encode() (b []byte) {
	b = h.numbers().append(AppendElement(b, tagDocumentID, h.DocID))
	if len(h.Types) > 0 {
		var block []byte
		for _, t := range h.Types {
			block = AppendElement(block, tagType, t)
		}
		b = AppendElement(b, tagTypeBlock, block)
	}
	return h.texts().append(b)
}

func (h *Hit) numbers() fields {
	return fields{
		{tagDocVersion, &h.Version}, {tagScore, &h.Score}, {tagBestMatch, &h.BestMatch}, {tagDocumentLength, &h.Length}, {tagLines, &h.Lines},
	}
}

func (h *Hit) texts() fields {
	return fields{
		{tagSource, &h.Source}, {tagDate, &h.Date}, {tagHeadline, &h.Headline}, {tagOriginCity, &h.City},
		{tagStockCodes, &h.Stock}, {tagCompanyCodes, &h.Company}, {tagIndustryCodes, &h.Industry},
	}
}

func (t *Text) encode() (b []byte) {
	b = appendNumber(AppendElement(b, tagDocumentID, t.DocID), tagDocVersion, t.Version)
	if t.Text == nil {
		return b
	}
	return AppendElement(b, tagDocumentText, t.Text)
}

// append writes a diagnostic. Its length is not a compressed integer and does not include the last byte.
func (d Diagnostic) append(b []byte) []byte {
	text := d.Text[:min(len(d.Text), maxDiagnostic)]
	b = appendFixed(append(b, tagDiagnostics), 2, len(d.Code)+len(text)+1)
	b = append(append(b, d.Code...), text...)
	return append(b, d.Surrogate, diagnosticEnd)
}
