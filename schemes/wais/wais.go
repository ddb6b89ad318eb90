// Package wais searches Wide Area Information Servers and retrieves what they found: Z39.50-1988 with the WAIS header, TCP port 210
// (RFC 4156, RFC 1738 section 3.9; the wire as measured from freeWAIS-sf).
//
//	wais://host/database                     the database's own description
//	wais://host/database?words+words         a search
//	wais://host/database/type/docid          a document
//	wais://host/database/type/length/docid   a document, as url6, libwww and Lynx write it
//
// Everything is a search: words ask for headlines, a DocID for text. A frame has a header of 25 octets, then an APDU whose own
// length does not count the user information after it:
//
//	C: 0000000038 z 2 wais       0 | 0016 Search small 30 large 5000 medium 30 database "demo" type '3' | words "tide", at most 40
//	S: 0000000314 z 2 wais       0 | 0015 SearchResponse 1 record | header: DocID, score, lines, length, date, type, headline
//	C: ... Search database "demo" type '1' | docid = ..., type = TEXT, byte >= 0, byte < 10000
//	S: ... SearchResponse | text
//
// A document comes in chunks of 10000 octets, which every server can answer. Its end is known from the length, from a shorter
// chunk, or from the diagnostic SF ("Request out of range") after data. The type is always sent, and never a void range: without
// them freeWAIS servers die.
//
//	records                                     -
//	SF after data, a short chunk                - (the end)
//	SF without any data, SD                     notfound
//	S1 "database is not available"              notfound
//	SH, T2                                      refused
//	S2, SV                                      unavailable
//	S1, SG                                      transfer
//	S3, S5, S6, SI, SJ                          refused
//	a frame of length 0, a bare close           protocol
//
// The protocol is planned, not yet spoken: Run returns unsupported.
package wais

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const port = 210

// Scheme returns wais.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:    []string{"wais"},
		Rules:    uri.Rules{DefaultPort: port, Hierarchical: true},
		LeadsTo:  []string{"*"}, // records of type URL
		Summary:  "searches of Wide Area Information Servers, and what they find",
		Spec:     "RFC 4156, RFC 1738, RFC 1625, Z39.50-1988",
		Help:     help,
		Settings: []fetch.Setting{{Key: setMax, Help: "how many headlines a search asks for, 40 if not said"}},
		Read:     read,
		Handler:  handler{},
	}
}

type handler struct{}

const setMax = "wais.max"

// Run is issue 11's.
func (handler) Run(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "reading wais is planned, not yet spoken")
}

const help = `example: wais://host.example/database?tide+table
  search database most 40 "tide table"

diagnostic                               error class
SF after data, a short chunk             - (the end)
SF without data, SD, S1 (no database)    notfound
SH, T2, S3, S5, S6, SI, SJ               refused
S2, SV                                   unavailable
S1, SG                                   transfer
a frame of length 0, a bare close        protocol`
