package wais

import (
	"bytes"
	"io"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// A chunks is the Body of a document, which is requested one chunk at a time.
//
// The document ends at its length, after a shorter chunk, or with SF, which servers send with the last bytes or after them.
type chunks struct {
	*exchange
	step     fetch.Step // as in the Plan
	from, to int64      // the bytes to return; to is 0 if the end is unknown
	declared bool       // the requested end is at or before a known length
	size     int64      // bytes of a request
	keep     bool       // the session is still needed at the end

	at   int64  // the next byte
	text []byte // of the last response
	last bool
	err  error
}

// document retrieves the document of the URI.
func (x *exchange) document(step fetch.Step) (*fetch.Document, error) {
	b := &chunks{exchange: x, step: step, from: x.from, to: x.to, declared: x.length() > 0}
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
		d.Size = x.length()
	}
	return d, nil
}

// open requests the first chunk and returns the document.
func (b *chunks) open() (*fetch.Document, error) {
	b.size, b.at = b.fit(int64(b.request.chunk), b.step.Data), b.from
	a, err := b.next()
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason = mediaType(b.step.Args[1]), "the type "+b.step.Args[1]
	d.End = fetch.EndTerminated
	if b.byLines() {
		return d, nil // the position in bytes is unknown
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

// ranOut reports whether the diagnostics say no more than that the document ends.
func ranOut(a *z3950.Response) bool {
	return !slices.ContainsFunc(a.Diagnostics, func(d z3950.Diagnostic) bool { return d.Code != outOfRange })
}

// byWhole reports whether the whole document is requested.
func (b *chunks) byWhole() bool { return b.plan.Options.Range.IsZero() && !b.byLines() }

func (b *chunks) byLines() bool { return b.step.Args[2] == "lines" }

// Read returns the chunk, then requests the next.
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
				if b.err = err; fetch.KindOf(err) == fetch.ErrConnection { // the document has begun
					b.err = fetch.Errorf(fetch.ErrTruncated, "the document is cut off: %w", err)
				}
				b.release(b.atRest)
			}
		}
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// release releases the session unless it is still needed.
func (b *chunks) release(reuse bool) {
	if !b.keep || b.plan.Shape == fetch.ShapeDocument {
		b.done(reuse)
	}
}

// Close ends the exchange. The session can be reused only after a complete document.
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

// next requests a chunk and checks the response.
func (b *chunks) next() (*z3950.Response, error) {
	step := b.part()
	from, to, ok := span(step.Args[3])
	if !ok || from >= to { // it would crash servers
		return nil, fetch.Errorf(fetch.ErrLimit, "WAIS documents are limited to %d bytes", mostOctet)
	}
	b.atRest = false
	a, err := b.query(step)
	if err == errEmpty && b.size > smallChunk && !b.byLines() { // the server has a smaller buffer
		b.env.Deviates("Z39.50-1988, SearchResponse", "the response", "an empty frame instead of a diagnostic")
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
	return a, b.add(text, to-from, len(a.Diagnostics) > 0)
}

// add stores a chunk. requested is its length, ended whether a diagnostic came with it.
func (b *chunks) add(text []byte, requested int64, ended bool) error {
	n := int64(len(text))
	if n > requested {
		return fetch.Errorf(fetch.ErrProtocol, "the server sent %d bytes instead of %d", n, requested)
	}
	b.text, b.at = text, b.at+n
	b.last = n < requested || ended || b.at == b.to
	if b.last && b.declared && b.at < b.to {
		b.text = nil
		e := fetch.Errorf(fetch.ErrTruncated, "got %d of %d bytes", b.at, b.to)
		e.Hint = "the document may have changed: search for it again"
		return e
	}
	return nil
}

// textOf returns the text of a response. SF with a text means that the document ends there, SF alone that it ended before. Any other diagnostic
// is an error.
func (b *chunks) textOf(a *z3950.Response) ([]byte, error) {
	var text []byte
	for _, t := range a.Texts {
		if text != nil && t.Text != nil {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the server sent two texts, want one")
		}
		if t.Text != nil {
			text = t.Text
		}
	}
	begun := b.at > b.from
	switch failed := len(a.Diagnostics) > 0; {
	case failed && !ranOut(a):
		return nil, refusal(a.Diagnostics[0], begun || len(text) > 0)
	case len(text) > 0 || begun:
		return text, nil
	case failed && b.at > 0:
		return nil, fetch.Errorf(fetch.ErrRange, "the document ends before byte %d", b.at+1)
	case text != nil: // an empty document
		return text, nil
	case failed:
		return nil, refusal(a.Diagnostics[0], false)
	}
	return nil, fetch.Errorf(fetch.ErrProtocol, "the server sent neither a text nor a diagnostic")
}

// refer makes a document of type URL a referral if it contains only an address. (Usually such a document is a page, and the address is its
// headline in a search.)
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
