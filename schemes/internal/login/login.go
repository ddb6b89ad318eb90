// Package login is the reading that the URIs of interactive sessions share: telnet, rlogin and tn3270 (RFC 1630 "telnet, rlogin
// and tn3270", RFC 4248 section 2).
package login

import (
	"errors"
	"slices"
	"strings"
)

// Reading is what such a URI says. User and password are advice: no automatic login follows from them (RFC 1738 section 3.8).
type Reading[S ~string] struct {
	Scheme   string `json:"scheme"`
	Host     string `json:"host"`
	Port     int    `json:"port"`
	User     *S     `json:"user"`
	Password *S     `json:"password"`
}

// Parts are the components of a URI, the user decoded.
type Parts[S ~string] struct {
	Scheme, Host   string
	Port           int
	User, Password *S
	Path           string // as written
	Query          bool   // there is one
}

// hasOption reports whether a word of a decoded user name would be an option to the host's login program (rlogin -froot, CVE-1999-0113):
// some hosts pass over blanks before it, some divide it at blanks.
func hasOption(user string) bool {
	return slices.ContainsFunc(strings.Fields(user), func(word string) bool { return word[0] == '-' })
}

// Read checks the components.
func Read[S ~string](p Parts[S]) (r Reading[S], err error) {
	switch {
	case p.Host == "":
		return r, errors.New("no host to begin a session with")
	case p.Path != "" && p.Path != "/" || p.Query:
		return r, errors.New("a session has neither path nor search")
	case p.User != nil && hasOption(string(*p.User)):
		return r, errors.New("no word of a user name can begin with a hyphen")
	}
	return Reading[S]{p.Scheme, p.Host, p.Port, p.User, p.Password}, nil
}
