package mail

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// message fetches one, or a part of it.
func (r *box) message(c *caller, s *session, done func(bool), validity uint32) (*fetch.Document, error) {
	o := c.options
	tag := strconv.FormatUint(uint64(validity), 10) + "." + strconv.FormatUint(uint64(*r.UID), 10)
	from, to, err := r.octets(o.Range)
	if err != nil {
		return nil, err
	}
	if o.IfSame.Tag != "" && o.IfSame.Tag != tag && !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrChanged, "the folder has another UIDVALIDITY: the message may be another one")
	}
	if o.IfChanged.Tag == tag { // RFC 9051 section 2.3.1.1: the message of a UID never changes
		done(true)
		d := fetch.NewDocument(nil)
		d.NotModified, d.Validator.Tag = true, tag
		return d, nil
	}
	if err := c.say("UID FETCH", ""); err != nil {
		return nil, err
	}
	if o.Op == fetch.Metadata {
		return r.metadata(s, done, tag)
	}
	x := r.wanted(from, to)
	t, err := s.text(*r.UID, x)
	if err != nil {
		return nil, err
	}
	t.done = done
	d := fetch.NewDocument(t)
	d.End, d.Validator.Tag = fetch.EndDeclared, tag
	d.Type, d.TypeReason = sectionType(x.spec)
	if r.Partial != nil {
		from -= int64(r.Partial.From)
	}
	d.Offset = from
	if x.length == 0 || r.Partial != nil && o.Range.IsZero() {
		d.Size = t.size
	}
	return d, nil
}

// wanted is what is asked for of a message; to is 0 for its end.
func (r *box) wanted(from, to int64) part {
	x := part{from: from}
	if r.Section != nil {
		x.spec = string(*r.Section)
	}
	if to > 0 {
		x.length = to - from
	} else if from > 0 {
		x.length = 1<<32 - 1
	}
	return x
}

// metadata is what is known of a message without its text.
func (r *box) metadata(s *session, done func(bool), tag string) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	found := false
	for h, err := range s.heads([]uint32{*r.UID}) {
		if err != nil {
			return nil, err
		}
		found = true
		d.Header, d.Modified = headerOf(h.fields), h.date
		if r.Section == nil && r.Partial == nil {
			d.Size = h.size
		}
	}
	if !found {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the folder has no such message")
	}
	if r.Section == nil {
		d.Type, d.TypeReason = sectionType("")
	}
	d.Validator.Tag = tag
	done(true)
	return d, nil
}

// sectionType is the media type of a section as far as the section tells.
func sectionType(spec string) (mediaType, reason string) {
	upper := strings.ToUpper(spec)
	switch {
	case spec == "":
		return "message/rfc822", "a message"
	case strings.Contains(upper, "HEADER"), strings.HasSuffix(upper, "MIME"):
		return "text/rfc822-headers", "header fields"
	}
	return "application/octet-stream", "a part, as it is encoded"
}
