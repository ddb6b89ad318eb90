// Package data dereferences data URIs (RFC 2397), which hold their object:
//
//	data:[type/subtype][;attribute=value]...[;base64],octets
//
// Nothing is contacted, so there is no dialogue; the one step of the plan is the decoding. It happens when the plan is made, and
// what does not decode is refused with the URI:
//
//	no comma                         refused-url
//	octets that base64 does not have refused-url
//	a range beyond the end           range
//
// Base64 is read as browsers do (the "forgiving" decoding of the WHATWG): escapes are undone first, white space and missing padding
// do not matter. What is given for a media type and is none is replaced by the default, text/plain in US-ASCII.
package data

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Scheme returns the scheme data.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{"data"},
		Does:    fetch.Does{Retrieves: true},
		Local:   true,
		Summary: "an object that stands in its own URI",
		Spec:    "RFC 2397",
		Help: "data:[type][;attribute=value]...[;base64],octets. Nothing is contacted.\n\n" +
			"no comma, or what base64 does not have  refused-url\n" +
			"a range beyond the end                  range\n",
		Read:    func(u uri.URI, _ uri.Mode) (any, error) { return read(u) },
		Handler: handler{},
	}
}

type handler struct{}
