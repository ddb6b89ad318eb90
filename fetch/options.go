package fetch

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch/hint"
	"example.org/deref/uri"
)

// Op is an operation on the object.
type Op int

const (
	Retrieve Op = iota // its content
	Metadata           // metadata without the content
	Send               // a message is sent to it (mailto, news)
	Attach             // a terminal is attached to it (telnet, rlogin, tn3270)
)

// String returns the operation in a word.
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

// NoOperation returns the error for an operation that scheme does not support.
func NoOperation(scheme string, op Op) *Error {
	switch op {
	case Metadata:
		return &Error{Kind: ErrUnsupported, Text: scheme + " has no metadata without the document", Hint: hint.Document}
	case Send:
		return Errorf(ErrUnsupported, "%s cannot send messages", scheme)
	case Attach:
		return Errorf(ErrUnsupported, "%s has no sessions", scheme)
	}
	return Errorf(ErrUnsupported, "%s has no documents", scheme)
}

// CheckWhole returns an error unless o retrieves a whole document. A Plan function of a scheme that does nothing else calls it first.
func CheckWhole(scheme string, o *Options) error {
	switch {
	case o.Op != Retrieve:
		return NoOperation(scheme, o.Op)
	case !o.Range.IsZero():
		return Errorf(ErrRange, "byte ranges are not supported for %s", scheme)
	}
	return nil
}

// Options apply to one request; nil means the zero value. The Client copies them, fills in Login, and passes the copy to Plan, so a caller may
// use one value for many requests.
type Options struct {
	Op        Op
	Mode      uri.Mode            // by which specification the URI is parsed; zero is the latest
	Base      uri.URI             // the object that contains the reference (cid:)
	Search    []string            // words for a searchable object, decoded
	Range     Range               // a part of the object
	IfSame    Validator           // resume: Range is wanted only while the object is in this state
	Have      io.ReaderAt         // resume: the bytes that exist, at least Range.From; the handler may compare them, but does not return them
	IfChanged Validator           // conditional: else Document.NotModified
	Listed    *Entry              // the object's entry in a listing of its server: a handler may rely on its size and time instead of requesting them (ftp)
	Login     Login               // for the URI's own scheme, host and port, never after a referral to another; the URI's own takes precedence
	Accept    []string            // media types, best first
	Set       map[string][]string // settings of schemes, by the keys in Scheme.Settings
	Charset   string              // a label of package charset: texts are in it, whatever they declare, and so are the words that CharsetSetting names
	Part      bool                // only the part that the fragment names, if the handler can return it (Scheme.Fragment)
	NoFollow  bool                // the first Document is returned with its Referrals, without an error, as by Policy.NoFollow
	Refusals  bool                // the page of a refusal is returned, with Document.Refusal set, by schemes that have one (http); otherwise Get returns the error
	Trace     func(Event)         // may be called concurrently; must not block for long
	Strict    func(Deviation)     // strict mode: is called for what a server does against its specification; the result is the same as without it

	serverSettings []string // the keys of Set that Client.Settings filled in
	Foreign        bool     // the URI is a link in a document, not the user's: requests reserved for the user are refused (Scheme.UserOnly)
	within         bool     // the request follows a referral that was received over TLS
	referred       bool     // see Referred
	login          loginState
}

// Referred reports whether the request follows a referral or link from another server. The user's settings for that server may then not
// apply to this one.
func (o *Options) Referred() bool { return o.referred }

// Get returns the last value of a setting. It returns "" if it is not set.
func (o *Options) Get(key string) string {
	if v := o.Set[key]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// Put sets a setting. Of Options that others use, call it for a Clone.
func (o *Options) Put(key string, values ...string) {
	if o.Set == nil {
		o.Set = map[string][]string{}
	}
	o.Set[key] = values
}

// Clone returns a copy with a Set of its own. That of nil is the zero Options.
func (o *Options) Clone() *Options {
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

// Range is a part of an object in bytes, [From,To). If To is 0, the part extends to the end. If From < 0, it is the last -From bytes. The
// zero Range is the whole.
type Range struct{ From, To int64 }

// ParseRange parses "A-B", "A-" and "-N", where B is the last byte, as in HTTP (RFC 9110 section 14.1.2).
func ParseRange(s string) (r Range, err error) {
	from, to, ok := strings.Cut(s, "-")
	a, errA := strconv.ParseUint(from, 10, 62)
	b, errB := strconv.ParseUint(to, 10, 62)
	switch {
	case !ok:
	case errA == nil && to == "":
		return Range{From: int64(a)}, nil
	case from == "" && errB == nil && b > 0:
		return Range{From: -int64(b)}, nil
	case errA == nil && errB == nil && a <= b:
		return Range{From: int64(a), To: int64(b) + 1}, nil
	}
	return r, Errorf(ErrRefusedURL, "%q is not a range: A-B, A- or -N", s)
}

// IsZero reports whether r is the whole.
func (r Range) IsZero() bool { return r == Range{} }

// Of applies r to an object of the given size and returns the bytes [from,to). A range that begins at the end is empty. One that begins after
// it, or ends before it begins, is ErrRange.
func (r Range) Of(size int64) (from, to int64, err error) {
	from, to = r.From, r.To
	if from < 0 {
		from, to = max(0, size+from), size
	}
	if to <= 0 || to > size {
		to = size
	}
	if from > to {
		return 0, 0, Errorf(ErrRange, "the object has only %d bytes", size)
	}
	return from, to, nil
}

// Validator identifies a state of an object by values from its server, verbatim. Size is -1 or 0 if unknown.
type Validator struct {
	Tag      string // an entity tag, UIDVALIDITY and UID, ...
	Modified string // Last-Modified, MDTM, ... in the protocol's format
	Size     int64
}

// IsZero reports whether v identifies nothing.
func (v Validator) IsZero() bool { return v.Tag == "" && v.Modified == "" && v.Size <= 0 }

// Same reports whether both identify one state: equal tags and no different sizes, or no tags and equal, known dates and sizes.
func (v Validator) Same(w Validator) bool {
	if v.Tag != "" || w.Tag != "" {
		return v.Tag == w.Tag && (v.Size <= 0 || w.Size <= 0 || v.Size == w.Size)
	}
	return v.Modified != "" && v.Modified == w.Modified && v.Size > 0 && v.Size == w.Size
}

// Exact reports whether v differs for any two states, so that ranges with the same v are parts of one object. A weak entity tag need not (RFC
// 9110 section 8.8.1).
func (v Validator) Exact() bool { return v.Same(v) && !strings.HasPrefix(v.Tag, "W/") }

// Login is a user's identity for one scheme, host and port. Set distinguishes an anonymous user from an unknown one.
//
// ByHost is set if the identity was found by the host's name alone, as in a netrc file. It is then not sent in clear after a referral that was
// received over TLS.
//
// Empty is set if the empty Password of a User is the real one. Otherwise it is unknown, and Client.Logins may return it.
type Login struct {
	User, Password string
	Set            bool
	ByHost         bool
	Empty          bool
}

// GivenLogin returns a Login of which the password is known, even if it is empty.
func GivenLogin(user, password string) Login {
	return Login{User: user, Password: password, Set: true, Empty: password == ""}
}
