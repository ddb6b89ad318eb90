package wais

import (
	"fmt"
	"strings"

	"example.org/deref/fetch"
	inwords "example.org/deref/schemes/internal/frames"
	"example.org/deref/schemes/wais/internal/z3950"
)

// decode puts an APDU after its header into words. The texts of documents are not shown.
func decode(f fetch.Frame) (string, int) {
	if len(f.Data) < z3950.HeaderLen {
		return "", 0
	}
	h, ok := z3950.ParseHeader(f.Data)
	if !ok || h.Length > 1<<31-1-z3950.HeaderLen {
		return "", -1
	}
	n := z3950.HeaderLen + int(h.Length)
	if h.Type != 'z' || h.Length == 0 {
		return fmt.Sprintf("frame of type %q, %d bytes", h.Type, h.Length), n
	}
	if n > len(f.Data) && len(f.Data) < fetch.MaxFrame {
		return "", n // until all of it is there
	}
	return apduWords(f.Data[z3950.HeaderLen:min(n, len(f.Data))], h.Length), n
}

// apduWords names the APDUs as Z39.50-1988 does.
func apduWords(b []byte, length int64) string {
	if len(b) < 3 {
		return fmt.Sprintf("APDU of %d bytes", len(b))
	}
	switch b[2] {
	case z3950.PDUInit:
		if m, err := z3950.ParseInit(b); err == nil {
			return "InitializeRequest" + initWords(m)
		}
	case z3950.PDUInitResponse:
		if m, err := z3950.ParseInitResponse(b); err == nil {
			return "InitializeResponse" + map[bool]string{true: " accepted", false: " rejected"}[m.Accepted] + initWords(m)
		}
	case z3950.PDUSearch:
		if m, err := z3950.ParseSearch(b); err == nil {
			return "SearchRequest" + requestWords(m)
		}
	case z3950.PDUSearchResponse:
		if m, err := z3950.ParseResponse(b); err == nil {
			return "SearchResponse" + responseWords(m)
		}
	}
	return fmt.Sprintf("APDU of type %d, %d bytes", b[2], length)
}

func initWords(m *z3950.Init) string {
	words := fmt.Sprintf(" preferred size %d maximum size %d", m.PreferredSize, m.MaximumSize)
	if m.Authentication != "" {
		words += " authentication ***"
	}
	if who := strings.TrimSpace(m.ID + " " + m.Name + " " + m.Version); who != "" {
		words += " implementation " + inwords.Quote(who)
	}
	return words
}

func requestWords(m *z3950.Search) string {
	words := " databases " + inwords.Quote(strings.Join(m.Databases, " "))
	if m.Type == z3950.Retrieval {
		words += " type 1 (retrieval)"
		for _, d := range first(m.Documents) {
			words += " document " + docIDWords(d.DocID) + " " + inwords.Quote(d.Type) + rangeWords(d.Unit, d.Start, d.End)
		}
		return words
	}
	words += fmt.Sprintf(" type %q (relevance) words %s at most %d", m.Type, inwords.Quote(m.Words), m.Max)
	for _, l := range first(m.Like) {
		words += " like " + docIDWords(l.DocID) + rangeWords(l.Unit, l.Start, l.End)
	}
	return words
}

// first returns the elements of a list that are shown.
func first[T any](list []T) []T { return list[:min(len(list), 20)] }

func rangeWords(unit byte, from, to int) string {
	switch unit {
	case z3950.Byte:
		return fmt.Sprintf(" bytes %d to %d", from, to)
	case z3950.Line:
		return fmt.Sprintf(" lines %d to %d", from, to)
	case z3950.Paragraph:
		return fmt.Sprintf(" paragraphs %d to %d", from, to)
	}
	return ""
}

func responseWords(m *z3950.Response) string {
	words := ""
	for _, d := range first(m.Diagnostics) {
		words += " diagnostic " + inwords.Quote(d.Code) + " " + inwords.Quote(d.Text)
	}
	for _, t := range first(m.Texts) {
		words += fmt.Sprintf(" text of %d bytes", len(t.Text))
	}
	if len(m.Hits) > 0 {
		words += fmt.Sprintf(" %d headlines:", len(m.Hits))
		for _, h := range first(m.Hits) {
			words += fmt.Sprintf(" %d %s", h.Score, inwords.Quote(h.Headline))
		}
	}
	if words == "" {
		return " nothing found"
	}
	return words
}

// docIDWords returns a DocID in the form of RFC 4156 URIs, or its bytes.
func docIDWords(octets string) string {
	if id, err := z3950.ParseDocID(octets); err == nil {
		return inwords.Quote(id.Tokens())
	}
	return inwords.Quote(octets)
}
