// Package cso asks CCSO nameservers, the phone books that gopher's item type 2 leads to: RFC 2378.
//
// There is no specification of such URIs; these are what menus make, with the query in the path:
//
//	cso://h/alice%20lab       C: query alice lab
//	                          C: quit
//	                          S: 102:There was 1 match to your request.
//	                          S: -200:1:   alias: a-lab
//	                          S: -200:1:    name: alice lab
//	                          S: 200:Ok.
//	cso://h/name=al*%20return%20email%20phone
//	cso://h/                  C: fields               what there is to ask for, unless --search names words
//
// The document is what is known, without the codes, and an empty line between one person and the next; each is an Entry. What the
// last reply, and any before that belongs to no entry, make of it:
//
//	200                                 the document; without it truncated
//	4xx                                 unavailable
//	501 507 508  no match, no field     notfound
//	506  log in first                   auth (which this client cannot do)
//	513 514 598 599  unknown, syntax    unsupported
//	another 5xx                         refused
//	4xx, 5xx behind entries             transfer
//	another, or no reply at all         protocol
package cso

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Scheme returns the scheme cso.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:    []string{"cso"},
		Rules:    uri.Rules{DefaultPort: port},
		Does:     fetch.Does{Retrieves: true},
		Searches: true,
		Summary:  "phone books of CCSO nameservers",
		Spec:     "RFC 2378",
		Help:     help,
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return read(u) },
		Handler:  handler{},
	}
}

const port = 105

const help = `cso://host/QUERY, for example name=al*%20return%20email; cso://host/ lists the fields.

4xx                              unavailable
501, 507, 508                    notfound
506                              auth
513, 514, 598, 599               unsupported
another 5xx                      refused
4xx, 5xx behind entries          transfer
close before the final 200       truncated
parts (-r, -C)                   range: the protocol has none
`

type handler struct{}
