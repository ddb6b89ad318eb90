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
package wais

import (
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
		Help:     helpText,
		Does:     fetch.Does{Retrieves: true, Refers: true},
		Settings: settings(),
		Read:     read,
		Handler:  handler{},
	}
}

type handler struct{}

func settings() []fetch.Setting {
	return []fetch.Setting{
		{Key: setMax, Help: "how many headlines a search asks for, 40 if not said"},
		{Key: setAlso, Help: "another database to search (many servers search the first alone)"},
		{Key: setLike, Help: "the wais URI of a document that the wanted ones are to be like, or with #lines=FROM-TO a part of it"},
		{Key: setDate, Help: "later, earlier or BEGIN-END: what dates count for in a search (many servers do not mind)"},
		{Key: setLines, Help: "FROM-TO: these lines of a document, the first being 0"},
		{Key: setChunk, Help: "how many octets of a document are asked for at once, 10000 if not said"},
		{Key: setInit, Help: "yes: begin the conversation with Init, which most servers can do without"},
	}
}

const (
	setMax   = "wais.max"
	setAlso  = "wais.also"
	setLike  = "wais.like"
	setDate  = "wais.date"
	setLines = "wais.lines"
	setChunk = "wais.chunk"
	setInit  = "wais.init"
)

const helpText = `example: wais://host.example/database?tide+table
  search database most 40 "tide table"

diagnostic                               error class
SF after data, a short chunk             - (the end)
SF without data, SD, S1 (no database)    notfound
SH, T2, S3, S5, S6, SI, SJ               refused
S2, SV                                   unavailable
S1, SG                                   transfer
a frame of length 0, a bare close        protocol`
