package testservers

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

// Join lets c reach all of the servers: it trusts the certificates that they sign themselves, and knows the user of the IMAP server. It waits only
// briefly for more of a first screen, which they send in one piece. Nothing changes for other servers.
func Join(c *fetch.Client, list []Running) {
	var ours []string
	imap := ""
	for _, s := range list {
		if ours = append(ours, s.Addr); s.Scheme == "imap" {
			imap = s.Addr
		}
	}
	known, trust, logins, settings := new(tofu.Store), c.FirstUse, c.Logins, c.Settings
	c.FirstUse = func(addr string, s tls.ConnectionState, err error) error {
		switch {
		case slices.Contains(ours, addr):
			return known.Check(addr, s, err)
		case trust != nil:
			return trust(addr, s, err)
		}
		return err
	}
	c.Logins = func(ctx context.Context, r fetch.LoginRequest) (fetch.Login, error) {
		switch {
		case r.Scheme == "imap" && net.JoinHostPort(r.Host, strconv.Itoa(r.Port)) == imap && (r.User == "" || r.User == mailtest.User) && r.Attempt <= 1:
			return fetch.Login{User: mailtest.User, Password: mailtest.Password, Set: true}, nil
		case logins != nil:
			return logins(ctx, r)
		}
		return fetch.Login{}, nil
	}
	c.Settings = func(u uri.URI) map[string][]string {
		if addr, err := u.HostPort(0); err == nil && isTerminal(u.Scheme()) && slices.Contains(ours, addr) {
			return map[string][]string{u.Scheme() + ".idle": {"0.1"}}
		}
		if settings != nil {
			return settings(u)
		}
		return nil
	}
}

// isTerminal reports whether the documents of a scheme are first screens.
func isTerminal(scheme string) bool {
	return scheme == "telnet" || scheme == "rlogin" || scheme == "tn3270"
}

// YearOf returns the year of the oldest known document that specifies a protocol, 0 if none of them has a date. A protocol may be older than
// its document, as cso is.
func YearOf(scheme string) int {
	return map[string]int{
		"telnet":   1969, // RFC 15, 25 September 1969
		"ftp":      1971, // RFC 114, 16 April 1971
		"finger":   1977, // RFC 742, 30 December 1977
		"whois":    1982, // RFC 812, 1 March 1982
		"rlogin":   1983, // rlogin(1C) of 4.2BSD, 10 February 1983
		"news":     1986, // RFC 977, February 1986
		"imap":     1988, // RFC 1064, July 1988
		"snmp":     1988, // RFC 1067, August 1988
		"tn3270":   1988, // RFC 1041, January 1988
		"wais":     1990, // "WAIS Interface Protocol Prototype Functional Specification", 23 April 1990, which the URL draft of July 1993 refers to
		"gopher":   1991, // "Notes on the Internet Gopher Protocol", December 1991, which the same draft refers to
		"http":     1991, // "Hypertext Transfer Protocol (HTTP)", CERN, December 1991, which the same draft refers to
		"prospero": 1992, // "Prospero: A Tool for Organizing Internet Resources", 1992, which the same draft refers to
		"ldap":     1993, // RFC 1487, July 1993
		"dict":     1997, // RFC 2229, October 1997
		"cso":      1998, // RFC 2378, September 1998
		"gemini":   2019, // geminiprotocol.net/history: 20 June 2019
		"spartan":  2021, // its specification's first change, 24 March 2021
	}[scheme]
}
