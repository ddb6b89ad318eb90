// Package wais searches Wide Area Information Servers and retrieves documents: Z39.50-1988 with the WAIS header, TCP port 210 (RFC 4156, RFC
// 1738 section 3.9; the protocol as captured from freeWAIS-sf 2.2.10).
//
//	wais://host/database                     the database's description and catalogue
//	wais://host/database?words+words         a search
//	wais://host/database/type/docid          a document
//	wais://host/database/type/length/docid   a document, as url6, libwww and Lynx write it
//
// Every request is a search: one for words returns headlines, one for a DocID returns text. A frame has a header of 25 bytes, then an APDU,
// whose length does not include the user information after it (here after the bar). A search and a retrieval:
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
// A document is requested in chunks of 98000 bytes, and of 10000 after an empty frame. It ends at its length, after a shorter chunk, or with
// the diagnostic SF ("Request out of range") next to or after the last bytes. A request always contains a type, never an empty range, and never
// a DocID without a database: those crash freeWAIS servers. They forward a database "name@host" to that host, so such names are refused.
// The response to a search without hits is the database's catalogue, without a score. The Document is then an empty listing with the
// catalogue's URI in its header. A hit of type URL refers to the address in its headline. A hit of type WSRC is followed by the database that
// it describes.
//
//	records, perhaps with diagnostics  the document (Diagnostic in its header)
//	SF after data, a short chunk       the end
//	SF without data                    notfound: the document is missing
//	SF without data of a later part    range
//	S1 without the database or field   notfound
//	S1 of syntax, S3, S5, S6, SD, SH   refused: also SI, SJ, T2, and a refused Init
//	S2, SV                             unavailable
//	other S1, SG                       unavailable: after data transfer
//	a bad frame                        protocol: empty, encoded, compressed or malformed
//	a frame that is too long           limit
//	a close instead of a response      connection: within a document truncated
//	a document below its length        truncated
package wais

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

const port = 210

// Scheme returns wais.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"wais"},
		Decode:     decode,
		Rules:      uri.Rules{DefaultPort: port, Hierarchical: true},
		MayReferTo: []string{"*"}, // records of type URL
		Summary:    "searches of Wide Area Information Servers, and what they find",
		Spec:       "RFC 4156, RFC 1738, RFC 1625, Z39.50-1988",
		Help:       func() string { return helpText + string(outcomes) },
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		Settings:   settings(),
		Read:       read,
		Plan:       plan,
	}
}

func settings() []fetch.Setting {
	return []fetch.Setting{
		{Key: setMax, Help: "how many headlines a search requests, 40 by default"},
		{Key: setAlso, Help: "another database to search (many servers search only the first)"},
		{Key: setLike, Help: "relevance feedback: the wais URI of a similar document, or with #lines=FROM-TO of a part of one"},
		{Key: setDate, Help: "later, earlier or BEGIN-END: the preferred dates in a search (many servers ignore them)"},
		{Key: setLines, Help: "FROM-TO: these lines of a document, counted from 0"},
		{Key: setChunk, Help: "how many bytes of a document are requested at once, 98000 by default"},
		{Key: setInit, Help: "yes: begin the session with Init, which most servers do not need"},
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

`

const outcomes replies.Table = `records, perhaps with diagnostics  the document (Diagnostic in its header)
SF after data, a short chunk       the end
SF without data                    notfound: the document is missing
SF without data of a later part    range
S1 without the database or field   notfound
S1 of syntax, S3, S5, S6, SD, SH   refused: also SI, SJ, T2, and a refused Init
S2, SV                             unavailable
other S1, SG                       unavailable: after data transfer
a bad frame                        protocol: empty, encoded, compressed or malformed
a frame that is too long           limit
a close instead of a response      connection: within a document truncated
a document below its length        truncated
`
