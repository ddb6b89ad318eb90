package fetch

import (
	"fmt"
	"strings"

	"example.org/deref/uri"
)

// A Scheme is everything that dereferencing needs to know about one naming scheme.
type Scheme struct {
	Names         []string  // lower case, the canonical one first
	Rules         uri.Rules // default port, hierarchical or opaque, case-blind parts, where secrets stand
	Ports         []int     // well-known ports besides Rules.DefaultPort
	Does          Does
	Searches      bool      // reads Options.Search; of others nothing can be searched
	Local         bool      // answers from this machine (file, data, mid): no server's referral leads here by itself
	OpensLocal    bool      // its URIs name files or programs of this machine: no link of another's document leads here by itself
	FirstUse      bool      // its servers sign their own certificates: Client.FirstUse is asked about them
	MayReferTo    []string  // schemes that its referrals may reach by default; "*" is every scheme that retrieves over the network
	Summary, Spec string    // a sentence, and the specifications, for `deref schemes` and `deref help`
	Help          string    // reply to error table and example dialogue, for `deref help SCHEME`
	Settings      []Setting // what it reads in Options.Set

	// Fragment gives the setting that asks for the part which a fragment names, where the handler can give single parts ("part2" is
	// "news.part", "2") and Options.Part wants it; key is "" for a fragment that is the caller's alone. A setting that is there
	// already wins.
	Fragment func(fragment string) (key, value string)

	// Login gives the identity that the scheme's own configuration knows for u, the zero one if none. What URI and Options say goes
	// before it, what the Client's Logins know comes after it. nil knows nobody.
	Login func(u uri.URI) Login

	// Grammar reports why a step cannot be said in the protocol, nil if it can: the rules for its positions that go beyond CR, LF and NUL,
	// which the Client refuses in all Verbs, Args and Tails (a TAB that would end a selector, a blank in a word). The Client calls it for
	// the Plan's steps, where placeholders in angle brackets stand for what replies supply, and again for each step before it is said. Its
	// errors need no Kind, and must not repeat what they refuse. A nil Grammar has no such rules.
	Grammar func(*Step) error

	// UserOnly reports whether u says what only the user may say, such as several lines of a form: no referral and no link of a server's
	// document leads to it. A nil UserOnly has no such URIs.
	UserOnly func(u uri.URI) bool

	// Read gives the scheme's reading of a URI: a JSON-able value with its fields and the specification's bare command sequence.
	// Plan uses the same reading.
	Read func(u uri.URI, m uri.Mode) (any, error)

	// Plan turns u into the protocol's command sequence. It is pure: no I/O, no clock, no environment, and equal arguments give
	// equal plans. It is called concurrently, and by several Clients; what must outlive one run goes through Lease (open connections)
	// or Env.Peer (what is known about a server). o is never nil, and o.Login holds the identity to use; u is absolute and has neither fragment
	// nor password.
	//
	// Plan must put every decoded octet that goes into a line into Step.Verb or Step.Args, where the Client checks it. It returns
	// ErrRefusedURL for what the scheme's grammar forbids, ErrRange where the protocol has no parts, ErrUnsupported for an Op that it
	// cannot do. The Client fills in Plan.URI and Plan.Options where Plan leaves them empty.
	Plan func(u uri.URI, o *Options) (*Plan, error)

	Handler Handler // in place of Plan, for schemes not converted yet
}

// Planner is s.Plan, or what stands in for it until every scheme has one.
func (s Scheme) Planner() func(u uri.URI, o *Options) (*Plan, error) {
	if s.Plan != nil {
		return s.Plan
	}
	return func(u uri.URI, o *Options) (*Plan, error) {
		p, err := s.Handler.Plan(u, o)
		if p == nil || err != nil {
			return nil, err
		}
		p.Run = s.Handler.Run
		if h, ok := s.Handler.(Sender); ok {
			p.Send = h.Send
		}
		if h, ok := s.Handler.(Attacher); ok {
			p.Attach = h.Attach
		}
		if h, ok := s.Handler.(Stateful); ok {
			p.State = h.State
		}
		return p, nil
	}
}

// Name returns the canonical name.
func (s Scheme) Name() string {
	if len(s.Names) == 0 {
		return ""
	}
	return s.Names[0]
}

// Does says what a scheme's handler can do; fetchtest checks it against the handler's interfaces.
type Does struct {
	Retrieves bool // yields documents or listings
	Refers    bool // yields URIs that lead on
	Session   bool // an Attacher
	Sends     bool // a Sender
}

// Words returns the abilities as `deref schemes` prints them.
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
	for i := range r {
		for _, n := range r[i].Names {
			if n == name || len(n) == len(name) && strings.EqualFold(n, name) {
				return r[i], true
			}
		}
	}
	return Scheme{}, false
}

// Redact writes u for people: without a password, and without a user name that is itself the secret (an SNMP community).
func (r Registry) Redact(u uri.URI) string {
	s, ok := r.Lookup(u.Scheme())
	if !ok {
		return u.Redacted(nil)
	}
	return u.Redacted(&s.Rules)
}

// Origin is what credentials and the settings of a server are bound to: u's scheme, host and port. It is "" where u names no server, or no
// scheme of r.
func (r Registry) Origin(u uri.URI) string {
	s, ok := r.Lookup(u.Scheme())
	if !ok {
		return ""
	}
	hp, err := u.HostPort(s.Rules.DefaultPort)
	if err != nil {
		return ""
	}
	return u.Scheme() + "://" + strings.ToLower(hp) // hosts have no case (RFC 3986 section 3.2.2)
}

// check panics on what can only be a mistake in the program: a scheme without name or handler, or two of one name.
func (r Registry) check() {
	for i, s := range r {
		if s.Name() == "" || s.Plan == nil && s.Handler == nil {
			panic(fmt.Sprintf("fetch: scheme number %d has no name or no Plan", i))
		}
		for _, n := range s.Names {
			if _, dup := r[:i].Lookup(n); dup || n != strings.ToLower(n) {
				panic(fmt.Sprintf("fetch: scheme %q is registered twice, or not in lower case", n))
			}
		}
	}
}
