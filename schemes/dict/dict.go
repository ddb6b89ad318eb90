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
//	1xx, then 250                the document; truncated without that 250
//	420, 421                     unavailable
//	530 or 531 to AUTH, 532      auth
//	530, 531                     refused
//	550, 551, 552, 554, 555      notfound: no database, strategy or match
//	500, 501, 502, 503           unsupported: no such command or parameter
//	another, or none             protocol
//	fewer than the URI's number  notfound
//	a byte range                 range: the protocol has none
package dict

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
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
		Help:     func() string { return help + string(outcomes) },
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Grammar:  grammar,
		Plan:     plan,
		LineEnds: fetch.LineEnds{Replies: lineRule, Texts: lineRule},
	}
}

const port = 2628

// lineRule is the section about replies and texts.
const lineRule = "RFC 2229 section 2.4"

const help = `dict://host/d:WORD[:DATABASE[:N]] defines, dict://host/m:WORD[:DATABASE[:STRATEGY[:N]]] matches;
dict://host/show:db, show:strat, show:info:DATABASE, show:server, help, status.

`

const outcomes replies.Table = `1xx, then 250                the document; truncated without that 250
420, 421                     unavailable
530 or 531 to AUTH, 532      auth
530, 531                     refused
550, 551, 552, 554, 555      notfound: no database, strategy or match
500, 501, 502, 503           unsupported: no such command or parameter
another, or none             protocol
fewer than the URI's number  notfound
a byte range                 range: the protocol has none
`
