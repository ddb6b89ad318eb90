// Package schemes is the list of the schemes that deref knows.
//
//	c := fetch.New(schemes.All(nil)...)
//
// A program that needs a few of them names those packages instead, and links nothing else.
package schemes

import (
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/schemes/afs"
	"example.org/deref/schemes/cso"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/dict"
	"example.org/deref/schemes/external"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/finger"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/gemini"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/ldap"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/nex"
	"example.org/deref/schemes/prospero"
	"example.org/deref/schemes/rlogin"
	"example.org/deref/schemes/snmp"
	"example.org/deref/schemes/spartan"
	"example.org/deref/schemes/telnet"
	"example.org/deref/schemes/tn3270"
	"example.org/deref/schemes/urn"
	"example.org/deref/schemes/wais"
	"example.org/deref/schemes/whois"
)

// Config holds the settings of the schemes that have any; nil, and each zero field, means the default.
type Config struct {
	External *external.Config
	HTTP     *http.Config
	FTP      *ftp.Config
	AFS      *afs.Config
	Whois    *whois.Config
	News     *news.Config
	URN      *urn.Config
	Mail     *mail.Config
	LDAP     *ldap.Config
}

// All returns every scheme, in the order in which `deref schemes` shows them.
func All(c *Config) []fetch.Scheme {
	if c == nil {
		c = &Config{}
	}
	return slices.Concat( // in one piece: to grow the list costs more than the rest of this function
		http.Schemes(c.HTTP),
		gopher.Schemes(),
		ftp.Schemes(c.FTP),
		one(file.Scheme()),
		telnet.Schemes(),
		one(rlogin.Scheme()),
		one(tn3270.Scheme()),
		one(afs.Scheme(c.AFS)),
		whois.Schemes(c.Whois),
		news.Schemes(c.News),
		one(wais.Scheme()),
		one(prospero.Scheme()),
		one(urn.Scheme(c.URN)),
		mail.Schemes(c.Mail),
		one(snmp.Scheme()),
		ldap.Schemes(c.LDAP),
		one(data.Scheme()),
		one(finger.Scheme()),
		one(gemini.Scheme()),
		one(dict.Scheme()),
		one(cso.Scheme()),
		one(spartan.Scheme()),
		one(nex.Scheme()),
		external.Schemes(c.External),
	)
}

func one(s fetch.Scheme) []fetch.Scheme { return []fetch.Scheme{s} }
