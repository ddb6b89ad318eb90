// Package gopher dereferences gopher and gophers URIs: RFC 1436 and RFC 4266, the item types in use since, and Gopher+.
//
// The client says one line, the selector, and the server answers with the document and closes:
//
//	gopher://h/0/about.txt              C: /about.txt
//	                                    S: This is the text.
//	gopher://h/7/find?big+dog           C: /find <TAB> big dog
//	                                    S: 0Big dogs <TAB> /dogs.txt <TAB> h <TAB> 70
//	                                    S: .
//	gopher://h/0/a%09%09+text/html      C: /a <TAB> <TAB> +text/html
//	                                    S: +27
//	                                    S: <p>This is the document.
//
// The first octet after the slash is the item type; it is not sent. A menu (types 1 and 7) gives Entries, each with the URI that
// leads to it. Some items are not fetched but lead on: those of other protocols (8 telnet, T tn3270, 2 cso) and those whose
// selector is "URL:" and a URI.
//
// There are no status codes. What the answer makes of it:
//
//	the connection ends without an octet        truncated (an empty document cannot be told apart)
//	nothing but items of type 3, the error      notfound; if it says "denied", refused
//	the error page of gophernicus               likewise
//	Gopher+ error 1, 2, 3, other                notfound, unavailable, a referral, refused
//	a Gopher+ answer shorter than it said       truncated
//	TLS ends without close_notify               truncated
//	a line of a menu that never ends            limit
//
// gophers is the same within TLS from the first octet. Nobody has registered it; clients agree on the name and on port 70.
package gopher

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Schemes returns gopher and gophers.
func Schemes() []fetch.Scheme {
	return []fetch.Scheme{
		scheme("gopher", fetch.NoTLS, "menus, texts and other documents of the gopher"),
		scheme("gophers", fetch.ImplicitTLS, "the same within TLS"),
	}
}

func scheme(name string, tls fetch.TLSMode, summary string) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{name},
		Rules:      uri.Rules{DefaultPort: defaultPort}, // a selector is no path: its dots and slashes mean what the server likes
		Ports:      []int{defaultPort},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		FirstUse:   tls == fetch.ImplicitTLS, // most servers sign their own certificates
		MayReferTo: []string{"gopher", "gophers"},
		Summary:    summary,
		Spec:       "RFC 4266, RFC 1436, Gopher+ (1993)",
		Settings:   settings(),
		Grammar:    grammar,
		UserOnly:   hasAnswers,
		Help:       help,
		Read:       readFields,
		Handler:    &handler{tls: tls},
	}
}

// defaultPort is that of both schemes.
const defaultPort = 70

const help = `gopher://host/TSELECTOR, where T is the item type: 0 text, 1 menu, 7 search (?words), 9 binary, g I images, h HTML, s sound.
gopher://host/TSELECTOR%09%09+VIEW asks for a view by Gopher+, %09%09! for attributes.

no octet at all                          truncated
items of type 3 only, Gopher+ error 1    notfound
... that say "denied"                    refused
Gopher+ error 2                          unavailable
TLS without close_notify                 truncated
parts (-r, -C)                           range: the protocol has none
`

// A handler is the algorithm of one of the two schemes.
type handler struct{ tls fetch.TLSMode }
