package wais

import (
	"encoding/json"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// docForm says how a wpath stands for a DocID, which is opaque to clients and handed back octet for octet.
type docForm string

const (
	formTokens docForm = "tokens" // 1=server;2=database;3=local%20id; as RFC 1630, libwww and Lynx write it
	formRaw    docForm = "raw"    // the DocID's octets
	formLocal  docForm = "local"  // the original local id alone
)

// field is one element of a DocID: its tag, and its value decoded.
type field struct {
	tag   int
	value fetch.Octets
}

// MarshalJSON gives [tag, value].
func (f field) MarshalJSON() ([]byte, error) { return json.Marshal([]any{f.tag, f.value}) }

// maxDocID is the longest DocID that is taken from a URI: replies and requests end at 100000 octets.
const maxDocID = 16 << 10

// docID decides what a raw wpath is: tokens, else a whole DocID, else a local id.
func (r *parts) docID(wpath string) error {
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
		return fetch.Errorf(fetch.ErrRefusedURL, "a DocID has at most %d octets", maxDocID)
	}
	return nil
}

// complete puts the database into a DocID that names none. A local id alone makes freeWAIS servers crash.
func (r *parts) complete(id z3950.DocID) z3950.DocID {
	if _, ok := id.Get(z3950.OriginalDatabase, z3950.DistributorDatabase); ok {
		return id
	}
	return append(z3950.DocID{{Tag: z3950.OriginalDatabase, Value: string(r.Database)}}, id...)
}

// isTokens reports whether a raw path is 1*(digits "=" value ";"), with a local id in it: servers die of a DocID without one.
func isTokens(path string) bool {
	local := false
	for path != "" {
		pair, rest, ok := strings.Cut(path, ";")
		digits, _, is := strings.Cut(pair, "=")
		tag, number := reading.Digits(digits)
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
		tag, _ := reading.Digits(digits)
		id = append(id, z3950.Field{Tag: tag, Value: uri.Escaped(value).Decode()})
	}
	return id
}

// elements reads octets that are wholly elements with the tags of a DocID, a local id among them.
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

// wpaths returns the paths that may stand for a DocID, the readable one first.
func wpaths(docID string) (list []string) {
	if id, err := z3950.ParseDocID(docID); err == nil {
		list = append(list, id.Tokens())
	}
	return append(list, strings.ReplaceAll(z3950.Escape(docID), "/", "%2F"))
}
