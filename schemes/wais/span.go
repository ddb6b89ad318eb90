package wais

import (
	"strconv"

	"example.org/deref/fetch"
)

// bounds returns the requested bytes. to is 0 if the end is unknown.
func (r *request) bounds(o *fetch.Options) (from, to int64, err error) {
	want, length := o.Range, r.length()
	if !o.IfSame.IsZero() {
		want = fetch.Range{} // versions of a document cannot be distinguished, so only a whole one is consistent
	}
	from, to = want.From, want.To
	if length > 0 && (to == 0 || to > length) {
		to = length
	}
	switch {
	case from < 0 && length == 0:
		return 0, 0, fetch.Errorf(fetch.ErrRange, "a range from the end needs the document's length in the URI")
	case from < 0:
		from = max(0, length+from)
	}
	switch {
	case to > 0 && from >= to:
		return 0, 0, fetch.Errorf(fetch.ErrRange, "the document ends at byte %d", to)
	case max(from, to) > mostOctet:
		return 0, 0, fetch.Errorf(fetch.ErrRange, "WAIS documents are limited to %d bytes", mostOctet)
	}
	return from, to, nil
}

// mostOctet is the largest number of the servers' 32 bits.
const mostOctet = 1<<31 - 1

// length returns the length in the URI, 0 if it has none.
func (r *request) length() int64 {
	if r.Length == nil {
		return 0
	}
	return int64(*r.Length)
}

// span returns the range of the planned retrieval, and until when it is repeated: a part that one chunk holds, or one chunk at a time. A range
// that ends before it starts crashes servers.
func (r *request) span() (part, until string) {
	if r.to > 0 && r.to-r.from <= int64(r.chunk) {
		return closedSpan(r.from, r.to), ""
	}
	until = untilSaid
	if r.to > 0 {
		until = "until octet " + strconv.FormatInt(r.to, 10)
	}
	if r.from > 0 {
		until += ", from octet " + strconv.FormatInt(r.from, 10)
	}
	return openSpan(r.chunk), until
}
