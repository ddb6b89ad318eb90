// Package ldap reads directories: ldap and ldaps (RFC 4516, RFC 4511), and x500, whose mapping the drafts left open.
//
//	ldap://host/dn?attributes?scope?filter?extensions
//	x500://host/c=CH/o=CERN/cn=Ann%20Lee        a distinguished name, most significant part first
//	x500://host/?Ann+Lee,+CERN,+CH              a user friendly name (RFC 1781), searched for
//
// Decision on x500: both kinds of name are allowed. A distinguished name is a hierarchy, so it is a path, and partial forms work; a
// user friendly name needs a search, so it is one. A part of the path is type=value, several joined by "+"; what is escaped is data.
// The last part of a user friendly name is a country if it has two letters, the one before it an organisation, the first a
// common name, those between organisational units. Access is by LDAP, the access protocol to X.500 that is still spoken.
//
//	C: BindRequest version 3, anonymous
//	S: BindResponse success
//	C: SearchRequest base "o=University of Michigan,c=US", scope base, filter (objectClass=*)
//	S: SearchResultEntry ...
//	S: SearchResultDone success
//
//	success                                    the entries
//	noSuchObject (32)                          notfound
//	sizeLimitExceeded (4), timeLimit (3), adminLimit (11)   limit (with the entries that came)
//	invalidCredentials (49), inappropriateAuthentication (48), strongerAuthRequired (8)   auth
//	insufficientAccessRights (50), unwillingToPerform (53)   refused
//	busy (51), unavailable (52)                unavailable
//	referral (10), SearchResultReference       - (referrals)
//	any other code, or no LDAP                 protocol
//
// The protocol is planned, not yet spoken: Run returns unsupported.
package ldap

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config is what outlives single requests; nil is the zero value.
type Config struct {
	Host string // who is asked where a URI names no host, HOST[:PORT]; void: localhost (RFC 4516 section 2: "a priori knowledge")
}

// Schemes returns ldap, ldaps and x500.
func Schemes(cfg *Config) []fetch.Scheme {
	host := "localhost"
	if cfg != nil && cfg.Host != "" {
		host = cfg.Host
	}
	list := []fetch.Scheme{}
	for _, h := range []handler{
		{name: "ldap", port: 389, tls: fetch.NoTLS, host: host},
		{name: "ldaps", port: 636, tls: fetch.ImplicitTLS, host: host},
		{name: "x500", port: 389, tls: fetch.NoTLS, host: host},
	} {
		list = append(list, h.scheme())
	}
	return list
}

func (h handler) scheme() fetch.Scheme {
	s := fetch.Scheme{
		Names:    []string{h.name},
		Rules:    uri.Rules{DefaultPort: h.port, Hierarchical: true},
		LeadsTo:  []string{h.name},
		Summary:  "entries of a directory",
		Spec:     "RFC 4516, RFC 4511, RFC 4514, RFC 4515",
		Help:     help,
		Settings: []fetch.Setting{{Key: h.setPage(), Help: "how many entries one page of a search brings, 500 if not said"}},
		Read:     h.read,
		Handler:  h,
	}
	switch h.name {
	case "ldaps":
		s.Summary += ", within TLS"
	case "x500":
		s.Summary, s.Spec = "entries of an X.500 directory, by LDAP", "RFC 1630, RFC 1781, RFC 4511"
	}
	return s
}

// handler is one of the three schemes. It is immutable.
type handler struct {
	name string
	port int
	tls  fetch.TLSMode
	host string // of a URI without one
}

func (h handler) setPage() string { return h.name + ".page" }

// Run is issue 14's.
func (h handler) Run(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "reading %s is planned, not yet spoken", h.name)
}

const help = `example: ldap://host.example/o=CERN,c=CH?cn,mail?sub?(cn=Ann*)
  bind anonymous
  search "o=CERN,c=CH" sub cn mail page 500 "(cn=Ann*)"

resultCode                                       error class
success                                          -
noSuchObject                                     notfound
sizeLimitExceeded, timeLimitExceeded, adminLimit limit
invalidCredentials, strongerAuthRequired         auth
insufficientAccessRights, unwillingToPerform     refused
busy, unavailable                                unavailable
referral                                         - (referrals)
any other code, or no LDAP                       protocol`
