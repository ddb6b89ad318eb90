// Package schemes is the list of the schemes that deref knows.
//
//	c := fetch.New(schemes.All(nil)...)
//
// A program that needs a few of them names those packages instead, and links nothing else.
package schemes

import (
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
	var all []fetch.Scheme
	all = append(all, http.Schemes(c.HTTP)...)
	all = append(all, gopher.Schemes()...)
	all = append(all, ftp.Schemes(c.FTP)...)
	all = append(all, file.Scheme())
	all = append(all, telnet.Schemes()...)
	all = append(all, rlogin.Scheme())
	all = append(all, tn3270.Scheme())
	all = append(all, afs.Scheme(c.AFS))
	all = append(all, whois.Schemes(c.Whois)...)
	all = append(all, news.Schemes(c.News)...)
	all = append(all, wais.Scheme())
	all = append(all, prospero.Scheme())
	all = append(all, urn.Scheme(c.URN))
	all = append(all, mail.Schemes(c.Mail)...)
	all = append(all, snmp.Scheme())
	all = append(all, ldap.Schemes(c.LDAP)...)
	all = append(all, data.Scheme())
	all = append(all, finger.Scheme())
	all = append(all, gemini.Scheme())
	all = append(all, dict.Scheme())
	all = append(all, cso.Scheme())
	all = append(all, spartan.Scheme())
	all = append(all, nex.Scheme())
	all = append(all, external.Schemes(c.External)...)
	return all
}
