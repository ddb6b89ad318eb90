// Package ldap searches directories: ldap and ldaps (RFC 4516, RFC 4511), and x500, whose mapping the drafts left open.
//
//	ldap://host/dn?attributes?scope?filter?extensions
//	x500://host/c=CH/o=CERN/cn=Ann%20Lee        a distinguished name, most significant part first
//	x500://host/?Ann+Lee,+CERN,+CH              a search for a user friendly name (RFC 1781)
//
// An x500 URI may contain both kinds of name. A distinguished name is a hierarchy, so it is a path, and relative references work. A user
// friendly name needs a search, so it is a query. A part of the path is type=value, or several of them joined by "+"; escaped characters
// are data. The last part of a user friendly name is a country if it has two letters, the one before it an organization, the first a common
// name, those between them organizational units. Access is by LDAP, the only access protocol to X.500 that is still in use.
//
// Entries are yielded in the order of the responses, each with its own ldap URI, with references to other servers among them. The extension
// x-value, our own, names the bytes of a single value such as a photo: the first value, or with x-value=N the Nth.
//
//	ldap://host/cn=Ann%20Lee,o=CERN,c=CH?jpegPhoto???x-value
//
//	C: BindRequest version 3, anonymous
//	S: BindResponse success
//	C: SearchRequest base "o=University of Michigan,c=US", scope base, filter (objectClass=*)
//	S: SearchResultEntry ...
//	S: SearchResultDone success
//
//	0                           the entries, perhaps none
//	16, 32, 33, 34              notfound: noSuchAttribute, noSuchObject, aliasProblem, invalidDNSyntax
//	3, 4, 11                    limit: timeLimitExceeded, sizeLimitExceeded, adminLimitExceeded, after the entries
//	7, 8, 48, 49                auth: authMethodNotSupported, strongerAuthRequired, inappropriateAuthentication, invalidCredentials
//	36, 50, 53                  refused: aliasDereferencingProblem, insufficientAccessRights, unwillingToPerform
//	51, 52                      unavailable: busy, unavailable; also a notice of disconnection
//	13                          tls: confidentialityRequired; also a refused StartTLS that is required
//	12, 17, 18, 21              unsupported: a critical extension, undefinedAttributeType, inappropriateMatching, invalidAttributeSyntax
//	10                          referrals, which are followed if the user allows ldap and ldaps
//	another                     protocol: also a response that is not LDAP, or to no request
//	SearchResultReference       an entry of kind link
//	a message above the limits  limit
//	a close before the result   truncated
package ldap

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Config is the user's configuration. A nil *Config means the zero Config.
type Config struct {
	Host string // the server for URIs without a host, HOST[:PORT]; "" means localhost (RFC 4516 section 2: "a priori knowledge")
}

// Schemes returns ldap, ldaps and x500.
func Schemes(cfg *Config) []fetch.Scheme {
	host := "localhost"
	if cfg != nil && cfg.Host != "" {
		host = cfg.Host
	}
	list := []fetch.Scheme{}
	for _, v := range []*variant{
		{name: "ldap", port: 389, tls: fetch.NoTLS, host: host},
		{name: "ldaps", port: 636, tls: fetch.ImplicitTLS, host: host},
		{name: "x500", port: 389, tls: fetch.NoTLS, host: host},
	} {
		list = append(list, v.scheme())
	}
	return list
}

// scheme returns a scheme that refers to no other by default: a directory's referral often names a host of its internal network. The user can
// allow it.
func (v *variant) scheme() fetch.Scheme {
	s := fetch.Scheme{
		Names:      []string{v.name},
		Decode:     decode,
		LoginFirst: true,
		Rules:      uri.Rules{DefaultPort: v.port, Hierarchical: true},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		MayReferTo: []string{}, // RFC 4511 section 4.1.10 warns of servers that refer to others
		Searches:   true,
		Summary:    "entries of a directory",
		Spec:       "RFC 4516, RFC 4511, RFC 4514, RFC 4515",
		Help:       func() string { return help + replyTable() },
		Settings:   v.settings(),
		Read:       v.read,
		Plan:       v.plan,
	}
	switch v.name {
	case "ldaps":
		s.Summary += ", within TLS"
	case "x500":
		s.Summary, s.Spec = "entries of an X.500 directory, by LDAP", "RFC 1630, RFC 1781, RFC 4511"
		s.Help = func() string { return helpX500 + replyTable() }
	}
	return s
}

// A variant is one of the three schemes.
type variant struct {
	name string
	port int
	tls  fetch.TLSMode
	host string // the server for URIs without a host
}

// Keys of settings.
func (v *variant) setPage() string    { return v.name + ".page" }
func (v *variant) setAliases() string { return v.name + ".aliases" }
func (v *variant) setTLS() string     { return v.name + ".ssl" }

func (v *variant) settings() []fetch.Setting {
	list := []fetch.Setting{
		{Key: v.setPage(), Help: "the number of entries in one page of a search, 500 by default"},
		{Key: v.setAliases(), Values: "never find search always", Help: "never, find, search, always: which aliases are followed; find (the one that the URI names) by default"},
	}
	if v.tls == fetch.NoTLS {
		list = append(list, fetch.Setting{Key: v.setTLS(), Values: "never try require", Help: "never, try, require: StartTLS; without it, try if a password is sent, else never"})
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

The path is a distinguished name, most significant part first. A query is a search for a user friendly name (RFC 1781):
x500://host.example/?Ann%20Lee,CERN,CH
`

// replyTable is the end of all Helps.
func replyTable() string {
	return "\nresultCode:\n\n" + string(outcomes) + "\nldap://HOST/DN?jpegPhoto???x-value requests the bytes of one value.\n"
}

const outcomes replies.Table = `0                           the entries, perhaps none
16, 32, 33, 34              notfound: noSuchAttribute, noSuchObject, aliasProblem, invalidDNSyntax
3, 4, 11                    limit: timeLimitExceeded, sizeLimitExceeded, adminLimitExceeded, after the entries
7, 8, 48, 49                auth: authMethodNotSupported, strongerAuthRequired, inappropriateAuthentication, invalidCredentials
36, 50, 53                  refused: aliasDereferencingProblem, insufficientAccessRights, unwillingToPerform
51, 52                      unavailable: busy, unavailable; also a notice of disconnection
13                          tls: confidentialityRequired; also a refused StartTLS that is required
12, 17, 18, 21              unsupported: a critical extension, undefinedAttributeType, inappropriateMatching, invalidAttributeSyntax
10                          referrals, which are followed if the user allows ldap and ldaps
another                     protocol: also a response that is not LDAP, or to no request
SearchResultReference       an entry of kind link
a message above the limits  limit
a close before the result   truncated
`
