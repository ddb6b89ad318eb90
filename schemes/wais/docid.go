package wais

import (
	"encoding/json"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// A docForm is a way in which a wpath encodes a DocID. DocIDs are opaque to clients and sent back unchanged.
type docForm string

const (
	formTokens docForm = "tokens" // 1=server;2=database;3=local%20id; as RFC 1630, libwww and Lynx write it
	formRaw    docForm = "raw"    // the DocID's bytes
	formLocal  docForm = "local"  // only the original local id
)

// A field is one element of a DocID: its tag and decoded value.
type field struct {
	tag   int
	value fetch.Octets
}

// MarshalJSON returns [tag, value].
func (f field) MarshalJSON() ([]byte, error) { return json.Marshal([]any{f.tag, f.value}) }

// maxDocID limits a DocID of a URI, because frames are limited to 100000 bytes.
const maxDocID = 16 << 10

// docID parses a raw wpath: tokens, else a complete DocID, else a local id.
func (r *request) docID(wpath string) error {
	octets := string(*r.WPath)
	raw, isRaw := elements(octets)
	switch {
	case isTokens(wpath):
		id := tokens(wpath)
		for _, f := range id {
			r.Fields = append(r.Fields, field{f.Tag, fetch.Octets(f.Value)})
		}
		r.Form, r.DocID = formTokens, fetch.Octets(r.complete(id).String())
	case isRaw:
		for _, f := range raw {
			r.Fields = append(r.Fields, field{f.Tag, fetch.Octets(f.Value)})
		}
		r.Form, r.DocID = formRaw, fetch.Octets(octets)
		if _, ok := raw.Get(z3950.OriginalDatabase, z3950.DistributorDatabase); !ok {
			r.DocID = fetch.Octets(r.complete(raw).String())
		}
	default:
		r.Form = formLocal
		r.DocID = fetch.Octets(r.complete(z3950.DocID{{Tag: z3950.OriginalLocalID, Value: octets}}).String())
	}
	if len(r.DocID) > maxDocID {
		return fetch.Errorf(fetch.ErrRefusedURL, "the DocID is longer than %d bytes", maxDocID)
	}
	return nil
}

// complete adds the database to a DocID without one. A local id alone crashes freeWAIS servers.
func (r *request) complete(id z3950.DocID) z3950.DocID {
	if _, ok := id.Get(z3950.OriginalDatabase, z3950.DistributorDatabase); ok {
		return id
	}
	return append(z3950.DocID{{Tag: z3950.OriginalDatabase, Value: string(r.Database)}}, id...)
}

// isTokens reports whether a raw path is 1*(digits "=" value ";"), with a local id: a DocID without one crashes servers.
func isTokens(path string) bool {
	local := false
	for path != "" {
		pair, rest, ok := strings.Cut(path, ";")
		digits, _, is := strings.Cut(pair, "=")
		tag, number := urifield.Digits(digits)
		if !ok || !is || !number || tag == 0 {
			return false
		}
		local = local || tag == z3950.OriginalLocalID
		path = rest
	}
	return local
}

// tokens splits at ";" before it decodes.
func tokens(path string) (id z3950.DocID) {
	for pair := range strings.SplitSeq(strings.TrimSuffix(path, ";"), ";") {
		digits, value, _ := strings.Cut(pair, "=")
		tag, _ := urifield.Digits(digits)
		id = append(id, z3950.Field{Tag: tag, Value: uri.Escaped(value).Decode()})
	}
	return id
}

// elements parses a string that consists of elements with the tags of a DocID, including a local id.
func elements(octets string) (z3950.DocID, bool) {
	id, err := z3950.ParseDocID(octets)
	if err != nil {
		return nil, false
	}
	for _, f := range id {
		if f.Tag < z3950.OriginalServer || f.Tag > z3950.Copyright {
			return nil, false
		}
	}
	_, local := id.Get(z3950.OriginalLocalID)
	return id, local
}

// wpaths returns the paths that may encode a DocID, the readable one first.
func wpaths(docID string) (list []string) {
	if id, err := z3950.ParseDocID(docID); err == nil {
		list = append(list, id.Tokens())
	}
	return append(list, strings.ReplaceAll(z3950.Escape(docID), "/", "%2F"))
}
