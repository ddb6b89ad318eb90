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
// Entries come as they are found, each with its own ldap URI, and with references of other servers among them. The octets of one
// value, of a photo say, are what the extension x-value leads to, which is ours: the first value, or x-value=N the Nth.
//
//	ldap://host/cn=Ann%20Lee,o=CERN,c=CH?jpegPhoto???x-value
//
//	C: BindRequest version 3, anonymous
//	S: BindResponse success
//	C: SearchRequest base "o=University of Michigan,c=US", scope base, filter (objectClass=*)
//	S: SearchResultEntry ...
//	S: SearchResultDone success
//
//	success (0)                                              the entries, also none
//	noSuchObject (32), aliasProblem (33), noSuchAttribute (16)   notfound, as is a value that is not there
//	sizeLimitExceeded (4), timeLimit (3), adminLimit (11)    limit, behind the entries that came
//	invalidCredentials (49), inappropriateAuthentication (48), strongerAuthRequired (8), authMethodNotSupported (7)   auth
//	insufficientAccessRights (50), unwillingToPerform (53), aliasDereferencingProblem (36)   refused
//	busy (51), unavailable (52), notice of disconnection     unavailable
//	confidentialityRequired (13), a refused StartTLS that is demanded   tls
//	undefinedAttributeType (17), inappropriateMatching (18), invalidAttributeSyntax (21), a critical extension (12)   unsupported
//	invalidDNSyntax (34)                                     refused-url
//	referral (10)                                            - (referrals; --follow-to ldap follows)
//	SearchResultReference                                    - (an entry of kind link)
//	any other code, no LDAP, an answer to what was not asked protocol
//	a message longer or of more elements than the limits     limit
//	the end before the result                                truncated
package ldap

import (
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

// scheme leads nowhere by itself: a referral of a directory often names a host behind its own walls. --follow-to ldap follows.
func (h handler) scheme() fetch.Scheme {
	s := fetch.Scheme{
		Names:    []string{h.name},
		Rules:    uri.Rules{DefaultPort: h.port, Hierarchical: true},
		Does:     fetch.Does{Retrieves: true, Refers: true},
		Searches: true,
		Summary:  "entries of a directory",
		Spec:     "RFC 4516, RFC 4511, RFC 4514, RFC 4515",
		Help:     help + replies,
		Settings: h.settings(),
		Read:     h.read,
		Handler:  h,
	}
	switch h.name {
	case "ldaps":
		s.Summary += ", within TLS"
	case "x500":
		s.Summary, s.Spec, s.Help = "entries of an X.500 directory, by LDAP", "RFC 1630, RFC 1781, RFC 4511", helpX500+replies
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

// Keys of settings.
func (h handler) setPage() string    { return h.name + ".page" }
func (h handler) setAliases() string { return h.name + ".aliases" }
func (h handler) setTLS() string     { return h.name + ".ssl" }

func (h handler) settings() []fetch.Setting {
	list := []fetch.Setting{
		{Key: h.setPage(), Help: "how many entries one page of a search brings, 500 if not said"},
		{Key: h.setAliases(), Values: "never find search always", Help: "never, find, search, always: aliases that are followed; find (the one that the URI names) if not said"},
	}
	if h.tls == fetch.NoTLS {
		list = append(list, fetch.Setting{Key: h.setTLS(), Values: "never try require", Help: "never, try, require: StartTLS; without it, try where a password is to be sent, else never"})
	}
	return list
}

const help = `example: ldap://host.example/o=CERN,c=CH?cn,mail?sub?(cn=Ann*)
  bind anonymous
  search "o=CERN,c=CH" sub cn mail page 500 "(cn=Ann*)"
`

const helpX500 = `example: x500://host.example/c=CH/o=CERN/cn=Ann%20Lee
  bind anonymous
  search "cn=Ann Lee,o=CERN,c=CH" base page 500 "(objectClass=*)"

The path is a distinguished name, most significant part first. A user friendly name (RFC 1781) stands behind a question mark, and is
searched for: x500://host.example/?Ann%20Lee,CERN,CH
`

const replies = `
resultCode                                       error class
success                                          -
noSuchObject, aliasProblem, noSuchAttribute      notfound
sizeLimitExceeded, timeLimitExceeded, adminLimit limit, behind the entries
invalidCredentials, strongerAuthRequired         auth
insufficientAccessRights, unwillingToPerform     refused
busy, unavailable                                unavailable
confidentialityRequired, StartTLS refused        tls
undefinedAttributeType, criticalExtension        unsupported
referral                                         - (referrals: --follow-to ldap,ldaps)
any other code, or no LDAP                       protocol
the end before the result                        truncated
ldap://HOST/DN?jpegPhoto???x-value               the octets of one value
`
