package wais

import (
	"strconv"

	"example.org/deref/fetch"
)

// bounds are the octets that are wanted; to is 0 for the end, where that is not known.
func (r *parts) bounds(o *fetch.Options) (from, to int64, err error) {
	want, length := o.Range, r.length()
	if !o.IfSame.IsZero() {
		want = fetch.Range{} // nothing tells a document's states apart: only the whole is sure to be of one
	}
	from, to = want.From, want.To
	if length > 0 && (to == 0 || to > length) {
		to = length
	}
	switch {
	case from < 0 && length == 0:
		return 0, 0, fetch.Errorf(fetch.ErrRange, "the end of a document is found only with its length in the URI")
	case from < 0:
		from = max(0, length+from)
	}
	switch {
	case to > 0 && from >= to:
		return 0, 0, fetch.Errorf(fetch.ErrRange, "the document ends at octet %d", to)
	case max(from, to) > mostOctet:
		return 0, 0, fetch.Errorf(fetch.ErrRange, "WAIS counts octets up to %d", mostOctet)
	}
	return from, to, nil
}

// mostOctet is where the servers' 32 bits end.
const mostOctet = 1<<31 - 1

// length is the URI's, 0 where it has none.
func (r *parts) length() int64 {
	if r.Length == nil {
		return 0
	}
	return int64(*r.Length)
}

// octets gives the span of a request: one chunk at a time, or a part that one chunk holds. end <= start kills servers.
func (r *parts) octets(o *fetch.Options) (part, until string, err error) {
	c, err := chunkOf(o)
	if err != nil {
		return "", "", err
	}
	from, to, err := r.bounds(o)
	if err != nil {
		return "", "", err
	}
	if to > 0 && to-from <= int64(c) {
		return closedSpan(from, to), "", nil
	}
	until = untilSaid
	if to > 0 {
		until = "until octet " + strconv.FormatInt(to, 10)
	}
	if from > 0 {
		until += ", from octet " + strconv.FormatInt(from, 10)
	}
	return openSpan(c), until, nil
}
