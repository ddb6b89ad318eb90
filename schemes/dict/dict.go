// Package dict dereferences dict URIs (RFC 2229): definitions, matches, and what a dictionary server says of itself.
//
//	dict://h/d:lab            C: CLIENT deref
//	                          C: DEFINE ! lab
//	                          C: QUIT
//	                          S: 220 dict.example dictd 1.13 <auth> <1.2@dict.example>
//	                          S: 250 ok
//	                          S: 150 1 definitions retrieved
//	                          S: 151 "lab" laba "Lab dictionary a"
//	                          S: a place of work;
//	                          S: .
//	                          S: 250 ok
//	dict://h/d:lab:laba:2     the second definition of database laba, and it alone
//	dict://h/m:la::prefix     C: MATCH ! prefix la
//	dict://h/show:db          C: SHOW DB              also show:strat, show:info:laba, show:server, help, status
//	dict://h/                 C: SHOW DB
//
// The database is "!" (the first that has the word) unless named, "*" is all; the strategy is "." (the server's own). DEFINE: and
// MATCH:, LOOKUP:, FIND: stand for d: and m:, as in curl. The three commands leave in one flight; with a login there are two, since
// AUTH needs the greeting.
//
// Definitions give a text with a head "From DESCRIPTION [DATABASE]:" before each, or the bare text where the URI numbers one. They,
// matches and databases give Entries, each with the URI that leads to it. What the replies make of it:
//
//	1xx, 250 behind it                                     the document; without that 250 truncated
//	420, 421                                               unavailable
//	530, 531, 532 to AUTH                                  auth
//	530, 531                                               refused
//	550, 551, 552, 554, 555 no database, strategy, match   notfound
//	500, 501, 502, 503 no such command, or parameter       unsupported
//	another reply, or none                                 protocol
//	fewer definitions or matches than the URI's number     notfound
package dict

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Scheme returns the scheme dict.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:    []string{"dict"},
		Rules:    uri.Rules{DefaultPort: port},
		Does:     fetch.Does{Retrieves: true},
		Searches: true,
		Summary:  "definitions of words",
		Spec:     "RFC 2229",
		Help:     help,
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return read(u) },
		Grammar:  grammar,
		Handler:  handler{},
	}
}

const port = 2628

const help = `dict://host/d:WORD[:DATABASE[:N]] defines, dict://host/m:WORD[:DATABASE[:STRATEGY[:N]]] matches;
dict://host/show:db, show:strat, show:info:DATABASE, show:server, help, status.

550, 551, 552, 554, 555          notfound
420, 421                         unavailable
530, 531                         refused; to AUTH auth
500, 501, 502, 503               unsupported
close before the final 250       truncated
parts (-r, -C)                   range: the protocol has none
`

type handler struct{}
