package fetch

import (
	"fmt"
	"strings"

	"example.org/deref/uri"
)

// A Scheme is everything that dereferencing needs to know about one naming scheme.
type Scheme struct {
	Names         []string  // lower case, the canonical one first
	Rules         uri.Rules // default port, hierarchical or opaque, case-insensitive parts, where secrets are
	Ports         []int     // well-known ports besides Rules.DefaultPort
	Does          Does
	Searches      bool      // reads Options.Search; other schemes cannot be searched
	Local         bool      // reads from this machine (file, data, mid): a server's referral to it is not followed by default
	OpensLocal    bool      // its URIs name files or programs of this machine: links in other documents to it are not followed by default
	FirstUse      bool      // its servers sign their own certificates: Client.FirstUse is asked about them
	LoginFirst    bool      // the client names a user before the server can ask for it: Client.Logins is called while planning
	MayReferTo    []string  // schemes that its referrals may reach by default, none if empty; "*" is every scheme that retrieves over the network
	Summary, Spec string    // a sentence, and the specifications, for lists of schemes
	Settings      []Setting // the keys that it reads from Options.Set
	LineEnds      LineEnds  // where the specification demands CRLF, for strict mode

	// Help returns the forms of URIs, which replies become which errors, and an example dialogue. It is a function because a process that only
	// fetches a document does not need these texts, which take time (the job start of testdata/bench). A nil Help has none.
	Help func() string

	// Fragment returns the setting that requests the part which a fragment names ("part2" is "news.part", "2"). It is called if Options.Part
	// is set. key is "" for a fragment that the caller has to resolve. A setting that is set already wins.
	Fragment func(fragment string) (key, value string)

	// Login returns the identity for u from the scheme's own configuration, the zero Login if it has none. An identity in the URI or in
	// Options takes precedence over it, and it takes precedence over the Client's Logins. A nil Login has no identities.
	Login func(u uri.URI) Login

	// Grammar returns an error if the protocol has no form for a step, such as a selector that contains a TAB. (The Client itself rejects
	// CR, LF and NUL in Verb, Args and Tail.) The Client calls Grammar for each step of a Plan, and again before a step is sent, when values
	// from replies have replaced the placeholders in angle brackets. The error needs no Kind, and must not contain the step's text, which
	// may be secret. A nil Grammar accepts every step.
	Grammar func(*Step) error

	// Decode returns the first frame of a binary protocol in f.Data in words, for people who read the conversation, and the frame's length. It
	// is called for bytes that are recorded as RecordOctets or RecordFrames, and for datagrams, whose length it need not return.
	// A length of 0 means that more bytes are needed, a negative one that the bytes are not a frame. A length beyond f.Data is that of a frame
	// of which f.Data is the beginning: Decode is called again with all of it, or with its first MaxFrame bytes. The words are "" for a
	// frame that is not worth showing. They must contain neither passwords nor what a user types; the Client masks the secrets that it knows, escapes
	// control characters and bounds the length. A nil Decode shows no frames.
	Decode func(f Frame) (words string, length int)

	// UserOnly reports whether u would send data that only the user may send, such as several lines of a form. Referrals and links in a
	// server's document to such a URI are refused. A nil UserOnly has no such URIs.
	UserOnly func(u uri.URI) bool

	// Read parses a URI of the scheme into a value for JSON, with its fields and the bare command sequence of the specification. Plan
	// uses the same parser.
	Read func(u uri.URI, m uri.Mode) (any, error)

	// Plan turns u into the protocol's command sequence. It is pure: no I/O, no clock, no environment, and equal arguments give
	// equal plans. It is called concurrently, and by several Clients. State that outlives one run belongs in Lease (open connections) or Env.Peer
	// (facts about a server). o is never nil, and o.Login holds the identity to use; u is absolute and has neither fragment nor password.
	//
	// Plan must put every decoded byte of a line into Step.Verb or Step.Args, where the Client checks it. It returns ErrRefusedURL for what
	// the scheme's grammar forbids, ErrRange if the protocol has no ranges, and ErrUnsupported for a setting or a search that it does not
	// have. An operation that the scheme does not have is a nil function of the Plan. The Client sets Plan.URI and Plan.Options if they are
	// empty.
	Plan func(u uri.URI, o *Options) (*Plan, error)
}

// Name returns the canonical name.
func (s Scheme) Name() string {
	if len(s.Names) == 0 {
		return ""
	}
	return s.Names[0]
}

// Does lists what a scheme can do. The Client does not call Plan for a message or a session that Does excludes. fetchtest compares it with
// the functions of the Plans.
type Does struct {
	Retrieves bool // yields documents or listings
	Refers    bool // yields URIs of other objects
	Session   bool // attaches terminals
	Sends     bool // sends messages
}

// Words returns the abilities as words.
func (d Does) Words() []string {
	w := []string{}
	for _, x := range []struct {
		on   bool
		word string
	}{{d.Retrieves, "retrieves"}, {d.Refers, "refers"}, {d.Session, "session"}, {d.Sends, "sends"}} {
		if x.on {
			w = append(w, x.word)
		}
	}
	return w
}

// A Registry is a list of schemes. It is a value: there is no global one.
type Registry []Scheme

// Lookup finds a scheme by any of its names, in any case.
func (r Registry) Lookup(name string) (Scheme, bool) {
	if s := r.lookup(name); s != nil {
		return *s, true
	}
	return Scheme{}, false
}

// lookup is Lookup without a copy, which requests would pass on by the dozen. It returns nil if there is no such scheme.
func (r Registry) lookup(name string) *Scheme {
	for i := range r {
		for _, n := range r[i].Names {
			if n == name || len(n) == len(name) && strings.EqualFold(n, name) {
				return &r[i]
			}
		}
	}
	return nil
}

// Redact returns u without a password, and without a user name that is itself the secret (an SNMP community).
func (r Registry) Redact(u uri.URI) string {
	s := r.lookup(u.Scheme())
	if s == nil {
		return u.Redacted(nil)
	}
	return u.Redacted(&s.Rules)
}

// Origin returns u's scheme, host and port, to which credentials and settings of a server are bound. It returns "" if u does not name a
// server, or not a scheme of r.
func (r Registry) Origin(u uri.URI) string {
	s := r.lookup(u.Scheme())
	if s == nil {
		return ""
	}
	hp, err := u.HostPort(s.Rules.DefaultPort)
	if err != nil {
		return ""
	}
	return u.Scheme() + "://" + strings.ToLower(hp) // hosts are case-insensitive (RFC 3986 section 3.2.2)
}

// check panics on a mistake in the program: a scheme without name or Plan, or two of one name.
func (r Registry) check() {
	known := map[string]bool{}
	for i := range r {
		if len(r[i].Names) == 0 || r[i].Names[0] == "" || r[i].Plan == nil {
			panic(fmt.Sprintf("fetch: scheme number %d has no name or no Plan", i))
		}
		for _, n := range r[i].Names {
			if known[n] || n != strings.ToLower(n) {
				panic(fmt.Sprintf("fetch: scheme %q is registered twice, or not in lower case", n))
			}
			known[n] = true
		}
	}
}
