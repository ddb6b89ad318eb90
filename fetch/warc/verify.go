package warc

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"example.org/deref/fetch/checksum"
	"example.org/deref/fetch/pieces"
)

// digests reads the block of r to its end and compares the digests. Tools disagree whether the payload of a message includes its transfer
// coding, so both digests are accepted.
func digests(r *Record) (faults []string, err error) {
	block, payload := newSum(r.Fields.Get("WARC-Block-Digest")), newSum(r.Fields.Get("WARC-Payload-Digest"))
	if r.Type() == Revisit || r.Fields.Get("WARC-Segment-Number") != "" {
		payload = nil // it belongs to the original record
	}
	if payload == nil {
		_, err = io.Copy(orDiscard(block), r.Block)
	} else {
		err = both(r, orDiscard(block), payload)
	}
	if err != nil {
		return nil, err
	}
	if !block.matches() {
		faults = append(faults, "WARC-Block-Digest does not match the block")
	}
	if payload != nil && !payload.matches() {
		faults = append(faults, "WARC-Payload-Digest does not match the payload")
	}
	return faults, nil
}

// both computes the block digest and both forms of the payload digest in one pass.
func both(r *Record, block io.Writer, payload *sum) error {
	all := *r
	all.Block = io.TeeReader(r.Block, block)
	head, body, err := splitMessage(&all)
	if err != nil {
		return err
	}
	payload.or = newSum(payload.want)
	body = &pieces.Ahead{Rest: io.TeeReader(body, payload.or)}
	if _, err = io.Copy(payload, unchunked(head, body)); err != nil && (r.Short || isFormat(err)) {
		return err
	}
	payload.isSpoiled = err != nil && r.Fields.Get("WARC-Truncated") == "" // the chunks are malformed: only the coded form can be compared
	_, err = io.Copy(io.Discard, body)
	return err
}

// A sum is a labelled digest being computed. It is nil for an unknown algorithm.
type sum struct {
	hash.Hash
	want string
	or   *sum // an alternative that is also accepted

	isSpoiled bool // the payload could not be read completely
}

func newSum(labelled string) *sum {
	name, _, _ := strings.Cut(labelled, ":")
	h := checksum.Named(name).New()
	if h == nil {
		return nil
	}
	return &sum{Hash: h, want: labelled}
}

func orDiscard(s *sum) io.Writer {
	if s == nil {
		return io.Discard
	}
	return s
}

// matches compares in base 32 and 16, ignoring case, and in base 64 with both alphabets.
func (s *sum) matches() bool {
	if s == nil || s.or != nil && s.or.matches() {
		return true
	}
	if s.isSpoiled {
		return false
	}
	_, want, _ := strings.Cut(s.want, ":")
	got := s.Sum(nil)
	if strings.EqualFold(want, hex.EncodeToString(got)) {
		return true
	}
	want = strings.TrimRight(want, "=")
	return strings.EqualFold(want, strings.TrimRight(base32.StdEncoding.EncodeToString(got), "=")) ||
		want == base64.RawStdEncoding.EncodeToString(got) || want == base64.RawURLEncoding.EncodeToString(got)
}
