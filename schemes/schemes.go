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
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/rlogin"
	"example.org/deref/schemes/telnet"
	"example.org/deref/schemes/tn3270"
	"example.org/deref/schemes/whois"
)

// Config holds the settings of the schemes that have any; nil, and each zero field, means the default.
type Config struct {
	HTTP  *http.Config
	AFS   *afs.Config
	Whois *whois.Config
}

// All returns every scheme, in the order in which `deref schemes` shows them.
func All(c *Config) []fetch.Scheme {
	if c == nil {
		c = &Config{}
	}
	return slices.Concat(
		http.Schemes(c.HTTP),
		telnet.Schemes(),
		[]fetch.Scheme{rlogin.Scheme()},
		[]fetch.Scheme{tn3270.Scheme()},
		[]fetch.Scheme{afs.Scheme(c.AFS)},
		whois.Schemes(c.Whois),
	)
}
