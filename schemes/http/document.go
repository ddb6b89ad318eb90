package http

import (
	"cmp"
	nethttp "net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// document makes of the answer what it says it is.
func (x *exchange) document() (*fetch.Document, error) {
	d, err := x.interpret()
	if err != nil {
		if x.env.Recorded() && x.done != nil {
			x.skip()
		}
		x.drop(x.size)
		if x.isStored() {
			x.memory.release()
		}
		return nil, err
	}
	return d, nil
}

func (x *exchange) interpret() (*fetch.Document, error) {
	switch s := x.head.status; {
	case s == 206:
		return x.part()
	case s < 300 && !x.isAllWanted():
		return nil, fetch.Errorf(fetch.ErrRange, "the server passes over the range and gives the whole")
	case s == 200 && x.isOld():
		return x.old(), nil
	case s < 300:
		return x.object()
	case s == 304:
		return x.unchanged()
	case s/100 == 3 && s != 305 && s != 306: // 305 names a proxy and 306 is unused: RFC 9110 sections 15.4.6 and 15.4.7
		return x.referral()
	case s == 416:
		return x.unsatisfiable()
	}
	x.keepRefusal()
	return nil, x.refusal()
}

// object is the whole document, unless a Refresh leads elsewhere at once.
func (x *exchange) object() (*fetch.Document, error) {
	d, err := x.decoded(x.whole())
	if err != nil {
		return nil, err
	}
	if r, ok := x.refresh(); ok {
		d.Referrals = []fetch.Referral{r}
	}
	return d, nil
}

// whole is the document, or what is known of it.
func (x *exchange) whole() *fetch.Document {
	body, end := x.body()
	if x.head.status != 206 && x.head.status != 304 {
		body = x.keeping(body)
	}
	d := fetch.NewDocument(body)
	d.Status, d.Reason, d.Protocol = x.head.status, x.head.reason, x.head.version()
	d.Header, d.End = x.head.header, end
	if d.Type, d.TypeReason = mediaType(x.head); d.Type == "" {
		d.Type, d.TypeReason = x.guess()
	}
	d.Size = x.size
	if x.plan.Options.Op == fetch.Metadata || x.size == framed {
		d.Size, _ = contentLength(x.head.header["Content-Length"])
	}
	if d.Size = max(d.Size, -1); x.isStored() {
		d.Size = x.memory.entry.Size
	}
	d.Validator = fetch.Validator{Tag: d.Header.Get("Etag"), Modified: d.Header.Get("Last-Modified"), Size: d.Size}
	d.Modified, _ = nethttp.ParseTime(d.Validator.Modified)
	d.Base = x.base()
	return d
}

// mediaType is the type that the server declares, without its parameters.
func mediaType(h head) (media, reason string) {
	if h.major == 0 {
		return "text/html", "HTTP/0.9 has no other" // RFC 1945 section 6.1, and the draft of 1991
	}
	value := h.header.Get("Content-Type")
	media, _, _ = strings.Cut(value, ";")
	media = strings.ToLower(strings.Trim(media, " \t"))
	main, sub, ok := strings.Cut(media, "/")
	if !ok || !isToken(main) || !isToken(sub) {
		return "", ""
	}
	return media, "Content-Type"
}

// guess is the type that the server did not declare (RFC 9110 section 8.3): by what has come of the document already, or by its name.
func (x *exchange) guess() (media, reason string) {
	if x.stream == nil && x.size != chunked && x.size != 0 { // one without a body has given the connection to somebody else
		if n := min(x.s.in.Buffered(), mediatype.HeadLen); n > 0 {
			head, _ := x.s.in.Peek(n)
			return mediatype.OfContent(head), "no Content-Type; its first octets"
		}
	}
	path := string(x.plan.URI.Path())
	if media, suffix := mediatype.OfName(path[strings.LastIndexByte(path, '/')+1:]); suffix != "" {
		return media, "no Content-Type; suffix " + suffix
	}
	return mediatype.Unknown, "no Content-Type"
}

// base is what the object calls itself. RFC 2616 section 14.14; void if it does not.
func (x *exchange) base() uri.URI {
	own := x.head.header.Get("Content-Location")
	if own == "" || len(own) > maxLocation {
		return uri.URI{}
	}
	u, err := x.resolve(own)
	if err != nil {
		return uri.URI{}
	}
	return u
}

// part is an answer with the part that was asked for, and with no other.
func (x *exchange) part() (*fetch.Document, error) {
	r := x.plan.Options.Range
	if r.IsZero() {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the server gives a part, and the whole was asked for")
	}
	if media, _ := mediaType(x.head); media == "multipart/byteranges" {
		return nil, fetch.Errorf(fetch.ErrRange, "the server gives several parts, and one was asked for")
	}
	if x.plan.Options.Get(setCompressed) != "" && len(x.head.header["Content-Encoding"]) > 0 {
		// Its octets are counted in the coded form (RFC 9110 section 14.1.2), and what is here already may be the decoded one.
		if names, err := codings(x.head.header["Content-Encoding"]); err != nil || len(names) > 0 {
			return nil, fetch.Errorf(fetch.ErrRange, "the server gives a part of the coded form")
		}
	}
	from, to, size, ok := contentRange(x.head.header["Content-Range"])
	if !ok || from < 0 {
		return nil, fetch.Errorf(fetch.ErrRange, "the server does not say which part it gives")
	}
	if !isWanted(r, from, to, size) || x.size >= 0 && x.size != to-from && x.plan.Options.Op == fetch.Retrieve {
		return nil, fetch.Errorf(fetch.ErrRange, "the server gives another part than the one asked for")
	}
	d := x.whole()
	d.Offset, d.Size, d.Validator.Size = from, size, size
	if x.size < 0 {
		d.Body = &counted{d.Body, to - from}
	}
	if isOther(x.plan.Options.IfSame, d.Validator) {
		return nil, fetch.Errorf(fetch.ErrChanged, "the server gives a part of an object that has changed")
	}
	return d, nil
}

// unchanged answers a conditional request.
func (x *exchange) unchanged() (*fetch.Document, error) {
	if x.plan.Options.IfChanged.IsZero() {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the server answers 304 to an unconditional request")
	}
	d := x.whole()
	d.NotModified, d.Size = true, -1
	return d, nil
}

// isOld reports whether what the server gives has not changed since the date that Options.IfChanged is. QUIRK: RFC 9110 section 13.1.3 lets
// a server pass over If-Modified-Since, and those of programs do.
func (x *exchange) isOld() bool {
	v := x.plan.Options.IfChanged
	if v.Tag != "" || v.Size > 0 || v.Modified == "" {
		return false
	}
	since, err := nethttp.ParseTime(v.Modified)
	modified, errOf := nethttp.ParseTime(x.head.header.Get("Last-Modified"))
	return err == nil && errOf == nil && !modified.After(since)
}

// old is such a document, whose octets nobody wants.
func (x *exchange) old() *fetch.Document {
	d := x.whole()
	d.Body.Close()
	d.Body, d.NotModified, d.Size = nethttp.NoBody, true, -1
	return d
}

// unsatisfiable is what a server answers to the resumption of what is complete already: an empty rest, if the object is known to be
// the same one (If-Range) and as long as what is here.
func (x *exchange) unsatisfiable() (*fetch.Document, error) {
	o := x.plan.Options
	from, _, size, ok := contentRange(x.head.header["Content-Range"])
	now := fetch.Validator{Tag: cmp.Or(x.head.header.Get("Etag"), o.IfSame.Tag), Modified: x.head.header.Get("Last-Modified"), Size: size}
	if !ok || from >= 0 || size != o.Range.From || ifRange(o.IfSame) == "" || isOther(o.IfSame, now) {
		return nil, x.refusal()
	}
	x.drop(x.size)
	d := fetch.NewDocument(nil)
	d.Status, d.Reason, d.Protocol = x.head.status, x.head.reason, x.head.version()
	d.Header, d.Offset, d.Size, d.End = x.head.header, size, size, fetch.EndDeclared
	d.Validator = o.IfSame
	return d, nil
}
