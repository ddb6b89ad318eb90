// Package dict dereferences dict URIs (RFC 2229): definitions, matches, and what a dictionary server reports about itself.
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
//	dict://h/d:lab:laba:2     only the second definition of database laba
//	dict://h/m:la::prefix     C: MATCH ! prefix la
//	dict://h/show:db          C: SHOW DB              also show:strat, show:info:laba, show:server, help, status
//	dict://h/                 C: SHOW DB
//
// The default database is "!", the first one that has the word; "*" means all. The default strategy is ".", the server's own. DEFINE: and
// MATCH:, LOOKUP:, FIND: stand for d: and m:, as in curl. All commands are sent in one write. With a login there are two writes, because
// AUTH needs the greeting.
//
// A document of definitions has a line "From DESCRIPTION [DATABASE]:" before each of them, or is the bare text if the URI gives a number.
// Definitions, matches and databases are also Entries, each with its own URI. Replies and their meaning:
//
//	1xx, then 250                                          the document; without that 250 truncated
//	420, 421                                               unavailable
//	530, 531, 532 to AUTH                                  auth
//	530, 531                                               refused
//	550, 551, 552, 554, 555 no database, strategy, match   notfound
//	500, 501, 502, 503 no such command, or parameter       unsupported
//	any other reply, or none                               protocol
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
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Grammar:  grammar,
		Plan:     plan,
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
