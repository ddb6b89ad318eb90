package wais

import (
	"encoding/json"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
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

// Tags of the elements of a DocID, and the longest of what is taken from a URI: replies and requests end at 100000 octets.
const (
	tagDatabase = 2
	tagLocalID  = 3
	maxDocID    = 16 << 10
)

// docID decides what a raw wpath is: tokens, else a whole DocID, else a local id.
func (r *parts) docID(wpath string) error {
	octets := string(*r.WPath)
	switch {
	case isTokens(wpath):
		r.Form, r.Fields = formTokens, tokens(wpath)
		r.DocID = fetch.Octets(encode(r.Fields))
	case isElements(octets):
		r.Form, r.DocID = formRaw, fetch.Octets(octets)
	default:
		r.Form = formLocal
		r.DocID = fetch.Octets(encode([]field{{tagDatabase, r.Database}, {tagLocalID, *r.WPath}}))
	}
	if len(r.DocID) > maxDocID {
		return fetch.Errorf(fetch.ErrRefusedURL, "a DocID has at most %d octets", maxDocID)
	}
	return nil
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
		local = local || tag == tagLocalID
		path = rest
	}
	return local
}

// tokens splits at ";" before it decodes.
func tokens(path string) (list []field) {
	for pair := range strings.SplitSeq(strings.TrimSuffix(path, ";"), ";") {
		digits, value, _ := strings.Cut(pair, "=")
		tag, _ := reading.Digits(digits)
		list = append(list, field{tag, fetch.Octets(uri.Escaped(value).Decode())})
	}
	return list
}

// encode makes elements: tag, length, value.
func encode(list []field) string {
	b := []byte{}
	for _, f := range list {
		b = appendInt(b, f.tag)
		b = appendInt(b, len(f.value))
		b = append(b, f.value...)
	}
	return string(b)
}

// appendInt appends a compressed integer: base 128, most significant first, bit 7 set on every octet but the last.
func appendInt(b []byte, n int) []byte {
	started := false
	for shift := 28; shift > 0; shift -= 7 {
		if n>>shift != 0 || started {
			b, started = append(b, byte(n>>shift)|0x80), true
			n &= 1<<shift - 1
		}
	}
	return append(b, byte(n))
}

// readInt reads a compressed integer of at most 5 octets; a value above 2^31-1 is none.
func readInt(s string) (n int, rest string, ok bool) {
	for i := 0; i < len(s) && i < 5; i++ {
		if n >= 1<<24 {
			return 0, s, false
		}
		n = n<<7 | int(s[i]&0x7f)
		if s[i] < 0x80 {
			return n, s[i+1:], true
		}
	}
	return 0, s, false
}

// isElements reports whether octets are wholly elements with the tags of a DocID, a local id among them.
func isElements(octets string) bool {
	local := false
	for octets != "" {
		tag, rest, ok := readInt(octets)
		if !ok || tag < 1 || tag > 7 {
			return false
		}
		n, rest, ok := readInt(rest)
		if !ok || n > len(rest) {
			return false
		}
		local = local || tag == tagLocalID
		octets = rest[n:]
	}
	return local
}
