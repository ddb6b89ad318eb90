package fetch

import (
	"io"
	"maps"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// Op is what is to be done with the object.
type Op int

const (
	Retrieve Op = iota // its content
	Metadata           // what is known about it without its content
	Send               // a message is handed over to it (mailto, news)
	Attach             // a terminal is attached to it (telnet, rlogin, tn3270)
)

// String returns the word of `explain --op`.
func (o Op) String() string {
	switch o {
	case Metadata:
		return "metadata"
	case Send:
		return "send"
	case Attach:
		return "session"
	}
	return "retrieve"
}

// NoOperation is the error of a handler, or of the Client, about an operation that scheme does not have.
func NoOperation(scheme string, op Op) *Error {
	switch op {
	case Metadata:
		return &Error{Kind: ErrUnsupported, Text: scheme + " tells nothing of a document but the document", Hint: HintDocument}
	case Send:
		return Errorf(ErrUnsupported, "nothing can be sent to %s", scheme)
	case Attach:
		return Errorf(ErrUnsupported, "%s has no sessions", scheme)
	}
	return Errorf(ErrUnsupported, "%s gives no documents", scheme)
}

// Options are the wishes of one request; nil means the zero value. The Client copies them, fills Login, and hands the copy to
// Plan, so a caller may use one value for many requests.
type Options struct {
	Op        Op
	Mode      uri.Mode            // how the scheme's part is read; zero is its latest specification
	Base      uri.URI             // the object that the reference stands in (cid:)
	Search    []string            // words for a searchable object, decoded
	Range     Range               // a part of the object
	Part      bool                // only what the fragment names, where the handler can give that alone (Scheme.Fragment)
	IfSame    Validator           // resume: Range is wanted only while the object is in this state
	Have      io.ReaderAt         // resume: what is there of the object, Range.From octets at least; a hint where to go on, never taken for the object
	IfChanged Validator           // conditional: else Document.NotModified
	Login     Login               // wins over the Client's Logins; the URI's own wins over both
	Accept    []string            // media types, best first
	Set       map[string][]string // the schemes' own settings, by names that they declare in Scheme.Settings
	NoFollow  bool                // the first Document is returned with its Referrals, without an error, as Policy.NoFollow has it
	Trace     func(Event)         // may be called concurrently; must not block for long

	ofServer []string // the keys of Set that Client.Settings filled in
	Foreign  bool     // the URI is a link of somebody else's document: what only the user may say is refused (Scheme.UserOnly)
	within   bool     // a referral has led here from within TLS
	referred bool     // see Referred
}

// Referred reports whether somebody else's words, a referral or a link, have led here from another server: what the user knows of that one need not
// be true of this.
func (o *Options) Referred() bool { return o.referred }

// Get returns the last value of a setting, "" when it is not set.
func (o *Options) Get(key string) string {
	if v := o.Set[key]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

func (o *Options) clone() *Options {
	if o == nil {
		return &Options{}
	}
	c := *o
	c.Search = slices.Clone(o.Search)
	c.Accept = slices.Clone(o.Accept)
	if c.Set = nil; len(o.Set) > 0 {
		c.Set = maps.Clone(o.Set)
	}
	return &c
}

// forgetServer drops the settings that belong to the server that was asked.
func (o *Options) forgetServer() {
	for _, key := range o.ofServer {
		delete(o.Set, key)
	}
	o.ofServer = nil
}

// Range is a part of an object in octets, [From,To). To 0 means up to the end; From < 0 means the last -From octets. The zero
// Range is the whole.
type Range struct{ From, To int64 }

// IsZero reports whether r is the whole.
func (r Range) IsZero() bool { return r == Range{} }

// Of applies r to an object of the given size: the octets [from,to). A part that begins at the end is void; one that begins
// after it, or is turned round, is ErrRange.
func (r Range) Of(size int64) (from, to int64, err error) {
	from, to = r.From, r.To
	if from < 0 {
		from, to = max(0, size+from), size
	}
	if to <= 0 || to > size {
		to = size
	}
	if from > to {
		return 0, 0, Errorf(ErrRange, "the object has only %d octets", size)
	}
	return from, to, nil
}

// Validator identifies a state of an object by what its server said, verbatim. Size is -1 or 0 when unknown.
type Validator struct {
	Tag      string // an entity tag, UIDVALIDITY and UID, ...
	Modified string // Last-Modified, MDTM, ... in the protocol's own spelling
	Size     int64
}

// IsZero reports whether v identifies nothing.
func (v Validator) IsZero() bool { return v.Tag == "" && v.Modified == "" && v.Size <= 0 }

// Same reports whether both identify one state: equal tags and no sizes that differ, or no tag and equal, known dates and sizes.
func (v Validator) Same(w Validator) bool {
	if v.Tag != "" || w.Tag != "" {
		return v.Tag == w.Tag && (v.Size <= 0 || w.Size <= 0 || v.Size == w.Size)
	}
	return v.Modified != "" && v.Modified == w.Modified && v.Size > 0 && v.Size == w.Size
}

// Exact reports whether v can tell any two states apart, so that parts of what bears it are parts of one object. A weak entity tag cannot
// (RFC 9110 section 8.8.1).
func (v Validator) Exact() bool { return v.Same(v) && !strings.HasPrefix(v.Tag, "W/") }

// Login is a user's identity for one scheme, host and port. Set distinguishes "nobody" from "not known".
//
// ByHost tells that it is known by the name of the host alone, as from a netrc file: then it goes to no server in clear to which a referral
// has led out of TLS.
type Login struct {
	User, Password string
	Set            bool
	ByHost         bool
}
