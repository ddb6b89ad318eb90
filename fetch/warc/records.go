package warc

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// newRecord starts the next record. Its target URI is that of the document after a prefix.
func (c *capture) newRecord(kind, prefix string, at time.Time) *Record {
	r := newRecord(kind, prefix+c.out.URI, at)
	c.records = append(c.records, r)
	return r
}

// The records about a document have target URIs of their own, because readers such as pywb show the last record of a URI and second. The form
// is that of browsertrix's urn:text: and urn:pageinfo: records.
const (
	dialoguePrefix = "urn:dialogue:" // of the conversation
	listingPrefix  = "urn:listing:"  // of the entries
)

// about returns the URI that r, or the document to which it belongs, is about. Archives that deref wrote before 2026-12 have the
// document's URI in each record.
func (r *Record) about() string {
	target := r.Target()
	switch r.Type() {
	case Metadata:
		return strings.TrimPrefix(target, dialoguePrefix)
	case Conversion:
		return strings.TrimPrefix(target, listingPrefix)
	}
	return target
}

// makeRecords makes the records of the messages, or of the object.
func (c *capture) makeRecords() {
	if len(c.messages) == 0 {
		c.resource()
		return
	}
	for i, m := range c.messages {
		m.analyze(c.rec)
		why := "unspecified"
		if i == len(c.messages)-1 {
			why = cmp.Or(c.out.reason(), why)
		}
		c.exchange(m, why)
	}
	if !c.messages[len(c.messages)-1].intact {
		c.out.Header = nil // the record of the response has it, without the cookies that are hidden
		c.conversation()
	}
}

// resource makes the record of an object whose protocol has no messages, and of its dialogue.
func (c *capture) resource() {
	c.out.Range = c.isRange()
	if _, ok := c.confirmed(); ok {
		c.out = Outcome{URI: c.out.URI, Kind: c.out.Kind, Error: c.out.Error, Opened: true, Document: noDocument()}
		c.out.NotModified = true
	}
	if c.object.size > 0 || c.out.isObject() {
		r := c.newRecord(Resource, "", c.start)
		c.describe(r, c.connection(), c.protocol())
		r.Fields.add("Content-Type", cmp.Or(c.out.Type, "application/octet-stream"))
		r.Fields.add("WARC-Truncated", c.out.reason())
		r.entry = entry{status: 200, media: c.out.Type}
		c.store(r, &c.object, 0, 0, digestOf(&c.object, 0, c.object.size))
		if r.Type() == Resource && c.object.size > 0 {
			r.Fields.add("WARC-Identified-Payload-Type", identified(c.object.bytes(0, min(c.object.size, mediatype.HeadLen))))
		}
		if c.list(); c.entries.size > 0 && !c.hasEntries(r) {
			c.conversion(r)
		}
	} else if c.out.NotModified {
		r := c.newRecord(Revisit, "", c.start)
		c.describe(r, c.connection(), c.protocol())
		c.referToKnown(r)
		r.put(&c.object, 0, 0)
	}
	c.conversation()
}

// connection returns the facts about the first connection, or about the peer of the datagrams.
func (c *capture) connection() connection {
	w := c.rec.conns.get(c.first)
	if c.first == 0 && c.doc != nil && c.doc.Remote.IsValid() {
		w.ip = c.doc.Remote.Addr().WithZone("").String()
	}
	return w
}

// hasEntries reports whether an earlier record about the same URI and payload has the entries, too.
func (c *capture) hasEntries(r *Record) bool {
	if r.Type() != Revisit || r.Fields.Get("WARC-Refers-To-Target-URI") == c.out.URI {
		return r.Type() == Revisit
	}
	p, ok := recordRef{}, false
	if k := c.rec.w.o.Known; k != nil {
		p, ok = k.latest(c.plan.URI)
	}
	return ok && strings.EqualFold(p.digest, r.Fields.Get("WARC-Payload-Digest"))
}

// list parses the entries of a listing from its bytes, so that no other program needs to know the protocol's format.
func (c *capture) list() {
	if c.doc == nil {
		return
	}
	entries := c.doc.EntriesIn(c.object.from(0))
	if entries == nil {
		return
	}
	enc := json.NewEncoder(&c.entries)
	enc.SetEscapeHTML(false)
	for e, err := range entries {
		if err != nil || enc.Encode(e) != nil {
			return
		}
	}
}

// conversion makes the record of a listing in the form of fetch.ListingType.
func (c *capture) conversion(of *Record) {
	r := c.newRecord(Conversion, listingPrefix, c.start)
	r.Fields.add("WARC-Refers-To", of.ID())
	r.Fields.add("Content-Type", fetch.ListingType)
	r.Fields.add("WARC-Truncated", of.Fields.Get("WARC-Truncated"))
	r.put(&c.entries, 0, c.entries.size)
}

// messageType is the type of documents whose header fields are a part of them.
const messageType = "message/rfc822"

// hasHeaderInPayload reports whether a document that is known under the same URI contains its header fields.
func (c *capture) hasHeaderInPayload() bool {
	return c.out.Type == messageType && len(c.records) > 0 && c.records[0].Fields.Get("WARC-Refers-To-Target-URI") == c.out.URI
}

// conversation makes the metadata record with the dialogue. That about a document of an earlier archive is left out.
func (c *capture) conversation() {
	text := c.rec.spool()
	if c.isKnown {
		c.out.LeftOut = true
		if c.hasHeaderInPayload() {
			c.out.Header = nil
		}
		text.Write(c.out.comments())
	} else {
		c.script.Flush()
		text.Write(c.out.comments())
		io.Copy(&text, c.dialogue.from(0))
	}
	text.err = cmp.Or(c.dialogue.err, text.err)
	c.dialogue.close()
	c.dialogue = text
	others := c.records
	r := c.newRecord(Metadata, dialoguePrefix, c.start)
	r.compact = c.isKnown && len(others) > 0
	c.describe(r, c.connection(), c.protocol())
	for _, o := range others {
		r.Fields.add("WARC-Concurrent-To", o.ID())
	}
	if len(others) == 0 {
		c.certify(r, c.connection())
	}
	r.Fields.add("Content-Type", DialogueType)
	r.put(&c.dialogue, 0, c.dialogue.size)
}

// Target returns the target URI of u's records. That of the record of a failure differs (see StoredRecord).
func Target(u uri.URI) string { return target(u.WithoutPassword()) }

// target returns the URI for WARC-Target-URI: without a password, as in every Plan, and without characters that would end the field.
func target(u uri.URI) string {
	s := u.WithoutFragment().String()
	if strings.ContainsAny(s, "<> ") {
		s = strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20").Replace(s)
	}
	return s
}

// protocol returns the value of WARC-Protocol, or "" if its proposal has none: the URI contains the scheme.
func (c *capture) protocol() string {
	switch s := c.plan.URI.Scheme(); strings.TrimSuffix(s, "s") {
	case "ftp", "gopher", "gemini":
		return strings.TrimSuffix(s, "s")
	}
	return ""
}
