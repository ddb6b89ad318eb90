package waistest

import (
	"bytes"
	"fmt"
	"strconv"

	"example.org/deref/schemes/wais/internal/z3950"
)

// An Echo is an in-memory server for tests of what clients send. Its responses contain one value wherever possible. It parses each request
// into the words of a Plan's step.
type Echo struct {
	value string
	in    []byte
	said  []string
	err   error
}

// NewEcho returns an Echo of value.
func NewEcho(value string) *Echo { return &Echo{value: value} }

// Hear handles input, and returns the responses.
func (e *Echo) Hear(b []byte) (answers [][]byte) {
	e.in = append(e.in, b...)
	for e.err == nil && len(e.in) >= z3950.HeaderLen {
		n, err := strconv.Atoi(string(e.in[:10]))
		if err != nil || !bytes.Equal(e.in[:z3950.HeaderLen], z3950.NewHeader(n).Append(nil)) {
			e.err = fmt.Errorf("got the header %q", e.in[:z3950.HeaderLen])
			break
		}
		if len(e.in) < z3950.HeaderLen+n {
			break
		}
		apdu := e.in[z3950.HeaderLen : z3950.HeaderLen+n]
		e.in = e.in[z3950.HeaderLen+n:]
		var answer []byte
		if answer, e.err = e.answer(apdu); e.err == nil {
			answers = append(answers, z3950.Frame(answer))
		}
	}
	return answers
}

// Said returns the requests, `VERB [ARGUMENTS] "DATA"` in Go's quotes. If the input is not a sequence of requests, it returns an error.
func (e *Echo) Said() ([]string, error) {
	if e.err == nil && len(e.in) > 0 {
		return e.said, fmt.Errorf("got %q after all requests", e.in)
	}
	return e.said, e.err
}

// answer parses a request. Encoding the result must give the same bytes.
func (e *Echo) answer(apdu []byte) ([]byte, error) {
	pdu, _, _, err := z3950.Split(apdu)
	if err != nil {
		return nil, err
	}
	if pdu == z3950.PDUInit {
		return e.accept(apdu)
	}
	q, err := z3950.ParseSearch(apdu)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(q.Append(nil), apdu) {
		return nil, fmt.Errorf("got unexpected bytes in the request %q", apdu)
	}
	r := &z3950.Response{ResultSetStatus: -1, PresentStatus: -1, ReferenceID: q.ReferenceID, Status: 1, SeedWords: e.value}
	if q.Type == z3950.Retrieval {
		e.retrieve(q, r)
	} else {
		e.search(q, r)
	}
	return finish(r), nil
}

// accept answers an Init.
func (e *Echo) accept(apdu []byte) ([]byte, error) {
	m, err := z3950.ParseInit(apdu)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(m.AppendInit(nil), apdu) {
		return nil, fmt.Errorf("got unexpected bytes in the Init %q", apdu)
	}
	e.note("init", []string{strconv.Itoa(m.PreferredSize)}, "")
	return (&z3950.Init{Accepted: true, Options: z3950.CanSearch, PreferredSize: m.PreferredSize, MaximumSize: m.MaximumSize, Name: e.value, ReferenceID: e.value}).AppendInitResponse(nil), nil
}

// retrieve adds a part of the value to r, and a diagnostic if it ends before the part.
func (e *Echo) retrieve(q *z3950.Search, r *z3950.Response) {
	d := q.Documents[0]
	unit := map[byte]string{z3950.Byte: "bytes", z3950.Line: "lines"}[d.Unit]
	e.note("retrieve", []string{q.Databases[0], d.Type, unit, fmt.Sprintf("%d-%d", d.Start, d.End)}, d.DocID)
	text := []byte(e.value)
	r.Texts = []z3950.Text{{DocID: d.DocID, Version: -1, Text: text[min(d.Start, len(text)):min(d.End, len(text))]}}
	if d.End > len(text) {
		r.Diagnostics = []z3950.Diagnostic{{Code: "SF", Text: e.value, Surrogate: 1}}
	}
}

// search adds one hit to r.
func (e *Echo) search(q *z3950.Search, r *z3950.Response) {
	args := []string{q.Databases[0]}
	for _, also := range q.Databases[1:] {
		args = append(args, "also", also)
	}
	args = append(args, "most", strconv.Itoa(q.Max))
	switch q.DateFactor {
	case 2:
		args = append(args, "date", "later")
	case 3:
		args = append(args, "date", "earlier")
	case 4:
		args = append(args, "date", q.Begin+"-"+q.End)
	}
	e.note("search", args, q.Words)
	h := z3950.NewHit()
	h.DocID, h.Types, h.Headline, h.Source, h.Length, h.Score = e.value, []string{"WSRC", e.value}, e.value, e.value, len(e.value), 1000
	r.Hits = []z3950.Hit{h}
}

func (e *Echo) note(verb string, args []string, data string) {
	e.said = append(e.said, fmt.Sprintf("%s %q %q", verb, args, data))
}
