// Package schemes is the list of the schemes that deref knows.
//
//	c := fetch.New(schemes.All(nil)...)
//
// A program that needs a few of them names those packages instead, and links nothing else.
//
// # Writing a handler
//
// A handler is a package with a function that returns a fetch.Scheme. The README of this directory shows all steps, and package nex is the smallest.
// Its Plan function parses the URI and the options once, into a request. It returns a Plan with the steps to send and, as Run, a method of that
// request. Send and Attach are further functions of the Plan, for schemes that send messages or attach terminals.
//
// Run reaches the network only through its Env. Env.Dial returns a Conn, and Conn.Send checks, announces and writes steps. Conn.BeginReply
// begins a reply, which has one deadline and one limit, and Conn.BeginBody begins a document. They also decide what the end of the connection
// means: before the first byte of a reply it is ErrConnection, within a reply ErrTruncated, and in a body io.EOF. An io.EOF that Run returns
// becomes ErrTruncated. So a handler compares errors with io.EOF only if a close is a valid end.
//
// A handler that transforms, selects or combines other objects gets them by Env.Get, within the outer request and its bounds; fetch.GetStep is the
// step of such a request.
//
// What outlives a request is a session in the pool (fetch.Lease), or a fact about the server (Env.Peer). Package fetch/fetchtest has the conformance
// suite for handlers.
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
		[]fetch.Scheme{file.Scheme()},
		telnet.Schemes(),
		[]fetch.Scheme{rlogin.Scheme(), tn3270.Scheme(), afs.Scheme(c.AFS)},
		whois.Schemes(c.Whois),
		news.Schemes(c.News),
		[]fetch.Scheme{wais.Scheme(), prospero.Scheme(), urn.Scheme(c.URN)},
		mail.Schemes(c.Mail),
		[]fetch.Scheme{snmp.Scheme()},
		ldap.Schemes(c.LDAP),
		[]fetch.Scheme{
			data.Scheme(),
			finger.Scheme(),
			gemini.Scheme(),
			dict.Scheme(),
			cso.Scheme(),
			spartan.Scheme(),
			nex.Scheme(),
		},
		external.Schemes(c.External),
	)
}
