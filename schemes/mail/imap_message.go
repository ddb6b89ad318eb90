package mail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "github.com/emersion/go-imap/v2"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

// message fetches the message of the request, or a part of it.
func (f *imapFetch) message() (*fetch.Document, error) {
	o := f.options
	tag := ""
	if f.validity != 0 { // else UIDs do not last (RFC 9051 section 7.1)
		tag = fmt.Sprintf("%d.%d", f.validity, *f.UID)
	}
	if o.IfSame.Tag != "" && o.IfSame.Tag != tag && !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrChanged, "the UIDVALIDITY of the mailbox has changed: this may be another message")
	}
	if tag != "" && o.IfChanged.Tag == tag { // RFC 9051 section 2.3.1.1: the message of a UID never changes
		f.release(true)
		d := fetch.NewDocument(nil)
		d.NotModified, d.Validator.Tag = true, tag
		return d, nil
	}
	if err := f.announce("UID FETCH"); err != nil {
		return nil, err
	}
	if o.Op == fetch.Metadata {
		return f.metadata(tag)
	}
	t, err := f.text(*f.UID, f.item)
	if err != nil {
		return nil, err
	}
	t.done = f.release
	d := fetch.NewDocument(t)
	d.End, d.Validator.Tag = fetch.EndDeclared, tag
	d.Type, d.TypeReason = f.sectionType()
	d.Offset = o.Range.From
	if f.item.Partial == nil || f.Partial != nil && o.Range.IsZero() {
		d.Size = t.size
	}
	return d, nil
}

// metadata describes a message without its text.
func (f *imapFetch) metadata(tag string) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	found := false
	for h, err := range f.heads([]uint32{*f.UID}) {
		if err != nil {
			return nil, err
		}
		found = true
		maildoc.SetFields(d, mimemail.ParseHeader(h.fields))
		d.SetModified(h.date, time.Second)
		if f.Section == nil && f.Partial == nil {
			d.Size = h.size
		}
	}
	if !found {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no message with this UID in the mailbox")
	}
	if f.Section == nil {
		d.Type, d.TypeReason = f.sectionType()
	}
	d.Validator.Tag = tag
	f.release(true)
	return d, nil
}

// sectionType returns the media type of the section as far as its name determines it.
func (r *imapURI) sectionType() (mediaType, reason string) {
	if r.Section == nil {
		return "message/rfc822", "a message"
	}
	switch upper := strings.ToUpper(string(*r.Section)); {
	case strings.Contains(upper, "HEADER"), strings.HasSuffix(upper, "MIME"):
		return "text/rfc822-headers", "header fields"
	}
	return "application/octet-stream", "a part in its transfer encoding"
}

// sectionItem parses the name of a part of a message (RFC 9051 section 6.4.5) into the library's form.
func sectionItem(name string) (*wire.FetchItemBodySection, error) {
	it := &wire.FetchItemBodySection{Peek: true}
	spec := name
	for spec != "" && spec[0] >= '0' && spec[0] <= '9' {
		number, rest, _ := strings.Cut(spec, ".")
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n == 0 {
			return nil, errSection()
		}
		it.Part, spec = append(it.Part, int(n)), rest
	}
	word, fields, has := strings.Cut(spec, " ")
	switch word = strings.ToUpper(word); word {
	case "", "HEADER", "TEXT", "MIME":
		if has || strings.HasSuffix(name, ".") || word == "MIME" && len(it.Part) == 0 {
			return nil, errSection()
		}
		it.Specifier = wire.PartSpecifier(word)
		return it, nil
	case "HEADER.FIELDS", "HEADER.FIELDS.NOT":
		names := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(fields, "("), ")"))
		bad := slices.ContainsFunc(names, func(n string) bool { return !mimemail.IsFieldName(n) })
		if len(names) == 0 || bad || !strings.HasPrefix(fields, "(") || !strings.HasSuffix(fields, ")") {
			return nil, errSection()
		}
		it.Specifier = wire.PartSpecifierHeader
		if word == "HEADER.FIELDS" {
			it.HeaderFields = names
		} else {
			it.HeaderFieldsNot = names
		}
		return it, nil
	}
	return nil, errSection()
}

func errSection() error {
	return fetch.Errorf(fetch.ErrRefusedURL, "SECTION is not a section-spec (RFC 9051 section 6.4.5)")
}
