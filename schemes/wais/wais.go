// Package wais searches Wide Area Information Servers and retrieves what they found: Z39.50-1988 with the WAIS header, TCP port 210
// (RFC 4156, RFC 1738 section 3.9; the wire as measured from freeWAIS-sf 2.2.10).
//
//	wais://host/database                     the database's own description, and its catalogue
//	wais://host/database?words+words         a search
//	wais://host/database/type/docid          a document
//	wais://host/database/type/length/docid   a document, as url6, libwww and Lynx write it
//
// Everything is a search: words ask for headlines, a DocID for text. A frame has a header of 25 octets, then an APDU whose own
// length does not count the user information after it (here behind the bar). A search, and the retrieval of what it found:
//
//	C: 0000000038 z 2 wais       0 | 0016 Search small 30 large 5000 medium 30, database "demo", query type 3
//	                               | seed words "tide", any date, at most 40 documents
//	S: 0000000182 z 2 wais       0 | 000e SearchResponse, 1 record
//	                               | DocID (server, database, local id), score 633, 148 octets, 4 lines, type TEXT, "Reading a tide table"
//	C: 0000000250 z 2 wais       0 | 002d Search small 10 large 16 medium 15, result set "FOO", database "demo", query type 1,
//	                                 elements "Document Text", reference "3"
//	                               | DocID = ..., type = TEXT and, octet >= 0 and, octet < 148 and
//	S: 0000000281 z 2 wais       0 | 0011 SearchResponse, 1 record, reference "3"
//	                               | DocID, version 0, 148 octets of text
//
// A document comes in chunks of 98000 octets, and of 10000 if the server answers with a void frame. Its end is known from the length, from a shorter
// chunk, or from the diagnostic SF ("Request out of range") beside or behind the last octets. The type is always sent, and never a void
// range, nor a DocID without a database: freeWAIS servers die of them. They forward a database "name@host" to that host, so such names are
// refused. A search that finds nothing is answered by the database's catalogue, with no score; here it is a void listing, and the
// catalogue's URI is in its header. A hit of the type URL is the address in its headline; one of the type WSRC is followed by the
// database that it describes.
//
//	records, and diagnostics beside them                      - (Diagnostic in the header)
//	SF after data, a short chunk                              - (the end)
//	SF without any data (missing document)                    notfound
//	SF without any data of a part that does not begin at 0    range
//	S1 "... database is not available", "field unexists"      notfound
//	S1 "query syntax error", S3, S5, S6, SD, SH, SI, SJ, T2   refused
//	Init refused                                              refused
//	S2, SV                                                    unavailable
//	S1, SG                                                    unavailable, behind data transfer
//	a void frame, an encoded or compressed one, wrong lengths protocol
//	a frame that is too long                                  limit
//	a close instead of an answer                              connection, within a document truncated
//	a document shorter than was said of it                    truncated
package wais

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const port = 210

// Scheme returns wais.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"wais"},
		Rules:      uri.Rules{DefaultPort: port, Hierarchical: true},
		MayReferTo: []string{"*"}, // records of type URL
		Summary:    "searches of Wide Area Information Servers, and what they find",
		Spec:       "RFC 4156, RFC 1738, RFC 1625, Z39.50-1988",
		Help:       helpText,
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		Settings:   settings(),
		Read:       read,
		Handler:    handler{},
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
		{Key: setChunk, Help: "how many bytes of a document are requested at once, 98000 if not said"},
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

SF without data, S1 (no such database, or field)    notfound
SF without data, of a part                          range
S1 (query syntax), S3, S5, S6, SD, SH, SI, SJ, T2   refused
init refused                                        refused
S2, SV, S1, SG                                      unavailable; S1, SG behind data: transfer
a void, encoded or compressed frame                 protocol
a close instead of an answer                        connection, within a document truncated
`
