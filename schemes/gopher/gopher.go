// Package gopher dereferences gopher and gophers URIs: RFC 1436 and RFC 4266, the item types in use since, and Gopher+.
//
// The client sends one line, the selector. The server returns the document and closes the connection:
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
// The first character after the slash is the item type; it is not sent. A menu (types 1 and 7) has Entries with the URIs of its items. Some
// items are referrals: those of other protocols (8 telnet, T tn3270, 2 cso) and those whose selector is "URL:" and a URI.
//
// There are no status codes except in Gopher+. The response decides what it means:
//
//	an empty response           truncated
//	only error items (type 3)   notfound; refused if they say "denied"
//	gophernicus's error page    the same
//	Gopher+ error 1             notfound
//	Gopher+ error 2             unavailable
//	Gopher+ error 3             a referral
//	other Gopher+ errors        refused
//	fewer bytes than announced  truncated
//	close without close_notify  truncated
//	a menu line over the limit  limit
//	a byte range                range: the protocol has none
//
// An empty response is truncated because it looks the same as a lost one. gophers is gopher within TLS from the first byte. It is not
// registered; clients agree on the name and on port 70.
package gopher

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
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
		Rules:      uri.Rules{DefaultPort: defaultPort}, // a selector is not a path: the server decides what dots and slashes mean
		Ports:      []int{defaultPort},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		FirstUse:   tls == fetch.ImplicitTLS, // most servers sign their own certificates
		MayReferTo: []string{"gopher", "gophers"},
		Summary:    summary,
		Spec:       "RFC 4266, RFC 1436, Gopher+ (1993)",
		Settings: []fetch.Setting{
			{Key: dataKey, Help: "the answer to the next question of a Gopher+ form; several lines, or one with its line end, answer AskL"},
			fetch.CharsetSetting("gopher"),
		},
		Grammar:  grammar,
		UserOnly: hasAnswers,
		Help:     func() string { return help + string(outcomes) },
		Read:     read,
		Plan:     func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) { return plan(u, o, tls) },
	}
}

const defaultPort = 70

const help = `gopher://host/TSELECTOR, where T is the item type: 0 text, 1 menu, 7 search (?words), 9 binary, g I images, h HTML, s sound.
gopher://host/TSELECTOR%09%09+VIEW requests a view by Gopher+, %09%09! the attributes.

`

// plusError begins the Rows of Gopher+ errors. The code follows.
const plusError = "Gopher+ error "

const outcomes replies.Table = `an empty response           truncated
only error items (type 3)   notfound; refused if they say "denied"
gophernicus's error page    the same
Gopher+ error 1             notfound
Gopher+ error 2             unavailable
Gopher+ error 3             a referral
other Gopher+ errors        refused
fewer bytes than announced  truncated
close without close_notify  truncated
a menu line over the limit  limit
a byte range                range: the protocol has none
`
