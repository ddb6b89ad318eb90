package wais

import (
	"bytes"
	"io"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// A chunks is the Body of a document: its chunks, asked for one at a time.
//
// The end is known from the length, from a shorter chunk, or from SF, which servers say beside the last octets or instead of them.
type chunks struct {
	*exchange
	step     fetch.Step // as in the Plan
	from, to int64      // what is wanted; to is 0 where the end is unknown
	declared bool       // to is, or is within, a length that was said
	size     int64      // octets of a request
	keep     bool       // the session is still needed at the end

	at   int64  // the next octet
	text []byte // of the last answer
	last bool
	err  error
}

// document retrieves what the URI names.
func (x *exchange) document(step fetch.Step) (*fetch.Document, error) {
	if _, err := x.oneType(x.plan.Options); err != nil { // it says whether the length holds
		return nil, err
	}
	from, to, err := x.bounds(x.plan.Options)
	if err != nil {
		return nil, err
	}
	b := &chunks{exchange: x, step: step, from: from, to: to, declared: x.parts.length() > 0}
	d, err := b.open()
	switch {
	case err != nil:
		return nil, err
	case step.Args[1] == typeURL:
		b.refer(d)
	case step.Args[1] == typeSource && b.byWhole():
		describe(d)
	}
	if b.declared && !b.byLines() {
		d.Size = x.parts.length()
	}
	return d, nil
}

// open asks for the first chunk and makes the document.
func (b *chunks) open() (*fetch.Document, error) {
	n, err := chunkOf(b.plan.Options)
	if err != nil {
		return nil, err
	}
	b.size, b.at = b.chunk(int64(n), b.step.Data), b.from
	a, err := b.next()
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason = mediaType(b.step.Args[1]), "the type "+b.step.Args[1]
	d.End = fetch.EndTerminated
	if b.byLines() {
		return d, nil // a part by lines says nothing of octets
	}
	d.Offset = b.from
	switch {
	case b.declared:
		d.Size, d.End = b.to, fetch.EndDeclared
	case b.last && (b.to == 0 || b.at < b.to):
		d.Size = b.at
	}
	if !b.last || !ranOut(a) {
		notes(d, a)
	}
	return d, nil
}

// ranOut reports whether a server has said no more than where the document ends.
func ranOut(a *z3950.Response) bool {
	return !slices.ContainsFunc(a.Diagnostics, func(d z3950.Diagnostic) bool { return d.Code != outOfRange })
}

// byWhole reports whether the whole document is wanted.
func (b *chunks) byWhole() bool { return b.plan.Options.Range.IsZero() && !b.byLines() }

func (b *chunks) byLines() bool { return b.step.Args[2] == "lines" }

// Read gives out the chunk, then asks for the next.
func (b *chunks) Read(p []byte) (int, error) {
	for len(b.text) == 0 {
		switch {
		case b.err != nil:
			return 0, b.err
		case b.last:
			b.err = io.EOF
			b.release(true)
		default:
			if _, err := b.next(); err != nil {
				b.err = within(err)
				b.release(b.atRest)
			}
		}
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// release gives the session back, unless more will be asked of it.
func (b *chunks) release(reuse bool) {
	if !b.keep || b.plan.Shape == fetch.ShapeDocument {
		b.done(reuse)
	}
}

// within is what an end of the connection comes to in the midst of a document.
func within(err error) error {
	if fetch.KindOf(err) == fetch.ErrConnection {
		return fetch.Errorf(fetch.ErrTruncated, "the document is cut: %w", err)
	}
	return err
}

// Close ends the conversation, which is at rest only behind a whole document.
func (b *chunks) Close() error {
	b.done(false)
	if b.err == nil {
		b.err = io.ErrClosedPipe
	}
	b.text = nil
	return nil
}

// part returns the next step: that of the Plan, with the bytes of the chunk filled in.
func (b *chunks) part() fetch.Step {
	s := b.step
	if b.byLines() {
		return s
	}
	to := min(b.at+b.size, mostOctet)
	if b.to > 0 {
		to = min(to, b.to)
	}
	s.Args = append(s.Args[:3:3], closedSpan(b.at, to))
	return s
}

// next asks for a chunk and judges the answer.
func (b *chunks) next() (*z3950.Response, error) {
	step := b.part()
	from, to, ok := span(step.Args[3])
	if !ok || from >= to { // servers would die of it
		return nil, fetch.Errorf(fetch.ErrLimit, "WAIS counts octets up to %d", mostOctet)
	}
	b.atRest = false
	a, err := b.query(step)
	if err == errVoid && b.size > smallChunk && !b.byLines() { // its buffer is smaller than others'
		b.size = smallChunk
		return b.next()
	}
	if err != nil {
		return nil, err
	}
	b.atRest = true
	text, err := b.textOf(a)
	if err != nil {
		return nil, err
	}
	if b.byLines() {
		b.text, b.last = text, true
		return a, nil
	}
	return a, b.take(text, to-from, len(a.Diagnostics) > 0)
}

// take notes what came of the octets that were asked for.
func (b *chunks) take(text []byte, asked int64, said bool) error {
	n := int64(len(text))
	if n > asked {
		return fetch.Errorf(fetch.ErrProtocol, "the server sent %d octets where %d were asked for", n, asked)
	}
	b.text, b.at = text, b.at+n
	b.last = n < asked || said || b.at == b.to
	if b.last && b.declared && b.at < b.to {
		b.text = nil
		return &fetch.Error{Kind: fetch.ErrTruncated, Text: "the document ends before the length that was said of it", Hint: "it may have changed: search for it anew"}
	}
	return nil
}

// textOf finds the text in an answer. Beside a text, SF says that the document ends there; alone, that it ended before. Any other diagnostic
// is trouble.
func (b *chunks) textOf(a *z3950.Response) ([]byte, error) {
	var text []byte
	for _, t := range a.Texts {
		if text != nil && t.Text != nil {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the server sent two texts where one was asked for")
		}
		if t.Text != nil {
			text = t.Text
		}
	}
	begun := b.at > b.from
	switch said := len(a.Diagnostics) > 0; {
	case said && !ranOut(a):
		return nil, refusal(a.Diagnostics[0], begun || len(text) > 0)
	case len(text) > 0 || begun:
		return text, nil
	case said && b.at > 0:
		return nil, fetch.Errorf(fetch.ErrRange, "the document ends before octet %d", b.at+1)
	case text != nil: // a document without octets
		return text, nil
	case said:
		return nil, refusal(a.Diagnostics[0], false)
	}
	return nil, fetch.Errorf(fetch.ErrProtocol, "the server sent neither a text nor a reason")
}

// refer makes a referral of a document of the type URL that holds nothing but an address. (Mostly such a document is a page, and the address is
// the headline that a search gives of it.)
func (b *chunks) refer(d *fetch.Document) {
	if u, ok := address(string(b.text)); ok && b.last && b.byWhole() {
		d.Type, d.TypeReason = "text/uri-list", "an address"
		d.Referrals = []fetch.Referral{{URI: u, Reason: "a record of the type URL"}}
		return
	}
	d.Type, d.TypeReason = "text/plain", "its first octets"
	if bytes.HasPrefix(bytes.TrimLeft(b.text, " \t\r\n"), []byte("<")) {
		d.Type = "text/html"
	}
}
