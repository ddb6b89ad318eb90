package http

import (
	"cmp"
	"errors"
	"io"
	nethttp "net/http"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// document returns the response as a document, or the error that its status means.
func (x *exchange) document() (*fetch.Document, error) {
	d, err := x.interpret()
	if err != nil {
		if x.env.Recorded() && x.done != nil {
			x.drain()
		}
		x.release(x.size)
		if x.isStored() {
			x.cached.release()
		}
		return nil, err
	}
	return d, nil
}

func (x *exchange) interpret() (*fetch.Document, error) {
	switch s := x.head.status; {
	case s == 206:
		return x.part()
	case s < 300 && !x.wholeSuffices():
		return nil, fetch.Errorf(fetch.ErrRange, "the server ignored the range and returned the whole document")
	case s == 200 && x.isUnmodified():
		return x.unmodified(), nil
	case s < 300:
		return x.complete()
	case s == 304:
		return x.notModified()
	case s/100 == 3 && s != 305 && s != 306:
		return x.redirect()
	case s == 416:
		return x.unsatisfiable()
	}
	x.storeError()
	e := x.statusError()
	if x.plan.Options.Refusals && x.done != nil && !x.isStored() {
		return x.refusal(e)
	}
	return nil, e
}

// documentOf returns a document of which only the head and the body are known.
func (x *exchange) documentOf(body io.ReadCloser, end fetch.End) *fetch.Document {
	return &fetch.Document{Size: -1, Body: body, End: end, Header: x.head.header, Status: x.head.status, Reason: x.head.reason, Protocol: x.head.version()}
}

// refusal returns the page that came with a refusal. It is not stored.
func (x *exchange) refusal(e error) (*fetch.Document, error) {
	refused, ok := errors.AsType[*fetch.Error](e)
	o := x.plan.Options
	if !ok || refused.Kind == fetch.ErrChanged || refused.Kind == fetch.ErrProtocol || !o.Range.IsZero() || o.Op != fetch.Retrieve {
		return nil, e
	}
	body, end := x.body()
	d := x.documentOf(body, end)
	if d.Type, d.TypeReason = mediaType(x.head); x.size >= 0 {
		d.Size = x.size
	}
	d, err := x.decoded(d)
	if err != nil {
		return nil, e
	}
	d.Refusal = refused
	return d, nil
}

// complete returns a complete document. It has a referral if Refresh redirects to another URI at once.
func (x *exchange) complete() (*fetch.Document, error) {
	d, err := x.decoded(x.newDocument())
	if err != nil {
		return nil, err
	}
	if r, ok := x.refresh(); ok {
		d.Referrals = []fetch.Referral{r}
	}
	return d, nil
}

// newDocument returns a document with the response's header and body.
func (x *exchange) newDocument() *fetch.Document {
	body, end := x.body()
	if x.head.status != 206 && x.head.status != 304 {
		body = x.storing(body)
	}
	d := x.documentOf(body, end)
	if d.Type, d.TypeReason = mediaType(x.head); d.Type == "" {
		d.Type, d.TypeReason = x.guessType()
	}
	d.Size = x.size
	if x.plan.Options.Op == fetch.Metadata || x.size == framed {
		d.Size, _ = contentLength(x.head.header["Content-Length"])
	}
	if d.Size = max(d.Size, -1); x.isStored() {
		d.Size = x.cached.entry.Size
	}
	d.Validator = fetch.Validator{Tag: d.Header.Get("Etag"), Modified: d.Header.Get("Last-Modified"), Size: d.Size}
	if d.Validator.Modified != "" { // else ParseTime makes errors
		modified, _ := nethttp.ParseTime(d.Validator.Modified)
		d.SetModified(modified, time.Second)
	}
	return d
}

// mediaType returns the type that the server declares, without its parameters.
func mediaType(h head) (media, reason string) {
	if h.major == 0 {
		return "text/html", "HTTP/0.9 has no other" // RFC 1945 section 6.1, and the draft of 1991
	}
	media = mediatype.Essence(h.header.Get("Content-Type"))
	main, sub, ok := strings.Cut(media, "/")
	if !ok || !isToken(main) || !isToken(sub) {
		return "", ""
	}
	return media, "Content-Type"
}

// guessType guesses a type that the server does not declare (RFC 9110 section 8.3) from the bytes that have already arrived, or from the
// name.
func (x *exchange) guessType() (media, reason string) {
	if x.stream == nil && x.size != chunked && x.size != 0 { // without a body, the connection already belongs to another request
		if n := min(x.s.in.Buffered(), mediatype.HeadLen); n > 0 {
			head, _ := x.s.in.Peek(n)
			return mediatype.OfContent(head), "no Content-Type; its first bytes"
		}
	}
	path := string(x.plan.URI.Path())
	if media, suffix := mediatype.OfName(path[strings.LastIndexByte(path, '/')+1:]); suffix != "" {
		return media, "no Content-Type; suffix " + suffix
	}
	return mediatype.Unknown, "no Content-Type"
}

// part returns the document of a 206. It must be the requested range and no other.
func (x *exchange) part() (*fetch.Document, error) {
	r := x.plan.Options.Range
	if r.IsZero() {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the server returned a range of the document, but the whole was requested")
	}
	if media, _ := mediaType(x.head); media == "multipart/byteranges" {
		return nil, fetch.Errorf(fetch.ErrRange, "the server returned several ranges, but one was requested")
	}
	if x.compressed && len(x.head.header["Content-Encoding"]) > 0 {
		// Its bytes are counted in the coded form (RFC 9110 section 14.1.2), but the user's copy may be decoded.
		if names, err := x.codings(x.head.header["Content-Encoding"]); err != nil || len(names) > 0 {
			return nil, fetch.Errorf(fetch.ErrRange, "the server returned a range of the coded form")
		}
	}
	from, to, size, ok := contentRange(x.head.header["Content-Range"])
	if !ok || from < 0 {
		return nil, fetch.Errorf(fetch.ErrRange, "the response has no valid Content-Range")
	}
	if !isWanted(r, from, to, size) || x.size >= 0 && x.size != to-from && x.plan.Options.Op == fetch.Retrieve {
		return nil, fetch.Errorf(fetch.ErrRange, "the server returned another range than the one requested")
	}
	d := x.newDocument()
	d.Offset, d.Size, d.Validator.Size = from, size, size
	if x.size < 0 {
		d.Body = &exactBody{d.Body, to - from}
	}
	if differs(x.plan.Options.IfSame, d.Validator) {
		return nil, fetch.Errorf(fetch.ErrChanged, "the document has changed since its first part was read")
	}
	return d, nil
}

// notModified returns the document of a 304 to a conditional request.
func (x *exchange) notModified() (*fetch.Document, error) {
	if !isConditional(x.plan) {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the server returned 304 to an unconditional request")
	}
	d := x.newDocument()
	d.NotModified, d.Size = true, -1
	return d, nil
}

// isUnmodified reports whether the document has not changed since the date in Options.IfChanged. QUIRK: RFC 9110 section 13.1.3 lets a
// server ignore If-Modified-Since, and those of programs do.
func (x *exchange) isUnmodified() bool {
	v := x.plan.Options.IfChanged
	if v.Tag != "" || v.Size > 0 || v.Modified == "" {
		return false
	}
	since, err := nethttp.ParseTime(v.Modified)
	modified, errOf := nethttp.ParseTime(x.head.header.Get("Last-Modified"))
	return err == nil && errOf == nil && !modified.After(since)
}

// unmodified returns the document of a response that isUnmodified reports, without its body.
func (x *exchange) unmodified() *fetch.Document {
	d := x.newDocument()
	d.Body.Close()
	d.Body, d.NotModified, d.Size = nethttp.NoBody, true, -1
	return d
}

// unsatisfiable returns the document of a 416. If the user's copy is already complete, and is known to be of the same state of the document
// (If-Range) and of the same size, it is an empty rest. Otherwise unsatisfiable returns an error.
func (x *exchange) unsatisfiable() (*fetch.Document, error) {
	o := x.plan.Options
	from, _, size, ok := contentRange(x.head.header["Content-Range"])
	now := fetch.Validator{Tag: cmp.Or(x.head.header.Get("Etag"), o.IfSame.Tag), Modified: x.head.header.Get("Last-Modified"), Size: size}
	if !ok || from >= 0 || size != o.Range.From || ifRange(o.IfSame) == "" || differs(o.IfSame, now) {
		return nil, x.statusError()
	}
	x.release(x.size)
	d := x.documentOf(nil, fetch.EndDeclared)
	d.Offset, d.Size, d.Validator = size, size, o.IfSame
	return d, nil
}
