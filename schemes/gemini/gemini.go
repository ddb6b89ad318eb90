// Package gemini dereferences gemini URIs: the Gemini network protocol and text/gemini, version 0.24.1.
//
// The client says the URI, within TLS, and the server answers with a line of status, the document, and its close:
//
//	gemini://h/owl            C: gemini://h/owl
//	                          S: 20 text/gemini
//	                          S: # The owl
//	                          S: => /birds More birds
//	gemini://h/find?big%20owl C: gemini://h/find?big%20owl     --search "big owl" makes this of gemini://h/find
//
// A text/gemini document gives Entries: its links, and the lines of text between them. What the status makes of it:
//
//	10  it wants input                        interactive; --search WORDS answers
//	11  it wants a secret                     auth; the password for the host (-u :SECRET, netrc) answers
//	2x  the document                          up to the close; without close_notify truncated
//	3x  redirect                              a referral, followed to gemini only
//	4x  not now (44: slow down)               unavailable
//	51 52  no such document, no longer        notfound
//	50 53 59  no, not a proxy, bad request    refused
//	6x  client certificate                    auth; --cert FILE and --key FILE show one
//	no status, or another                     protocol
//
// Most servers sign their own certificates. fetch.Client.FirstUse (--tofu) trusts the first one; without it they are refused like any
// other. A client certificate is shown to the one host that it was set for: a redirect elsewhere does not take it along.
package gemini

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/clientcert"
	"example.org/deref/uri"
)

// Scheme returns the scheme gemini.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"gemini"},
		Rules:      rules(),
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		FirstUse:   true,
		MayReferTo: []string{"gemini"}, // a redirect to another protocol is the user's to follow
		Summary:    "texts and menus of the small web, within TLS",
		Spec:       "gemini protocol 0.24.1, text/gemini",
		Settings:   clientcert.Settings("gemini"),
		Help:       help,
		Read:       func(u uri.URI, _ uri.Mode) (any, error) { return read(u) },
		Grammar:    grammar,
		Handler:    handler{},
	}
}

const port = 1965

func rules() uri.Rules { return uri.Rules{DefaultPort: port, Hierarchical: true} }

const help = `gemini://host/path, gemini://host/path?input. Most servers need --tofu: they sign their own certificates.

10                             interactive: --search WORDS answers
11, 60, 61, 62                 auth: a password (-u :SECRET) answers 11, --cert the others
40, 41, 42, 43, 44             unavailable
51, 52                         notfound
50, 53, 59                     refused
another status, or none        protocol
close without close_notify     truncated
parts (-r, -C)                 range: the protocol has none
`

type handler struct{}

// grammar is the request: words with single blanks between.
func grammar(s *fetch.Step) error {
	for _, word := range s.Args {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return errors.New("a blank or control character in the request")
		}
	}
	return nil
}
