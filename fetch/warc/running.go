package warc

import (
	"crypto/sha1"
	"crypto/sha256"
	"hash"
)

// A digestPair computes the digests of a long block and of its payload while they are written.
type digestPair struct{ block, payload *runningDigest }

// objectDigests starts the digests of a long object, which is both block and payload.
func objectDigests([]byte) digestPair {
	return digestPair{newRunningDigest(0, sha256.New()), newRunningDigest(0, sha1.New())}
}

// update adds p, which begins at offset at.
func (s *digestPair) update(at int64, p []byte) {
	s.block.update(at, p)
	s.payload.update(at, p)
}

// A runningDigest covers all bytes from an offset on. A nil one covers nothing.
type runningDigest struct {
	hash.Hash
	from, to int64
}

func newRunningDigest(from int64, h hash.Hash) *runningDigest { return &runningDigest{h, from, from} }

// update adds p, which begins at offset at. Bytes that were added before are skipped.
func (d *runningDigest) update(at int64, p []byte) {
	if d == nil || at+int64(len(p)) <= d.to {
		return
	}
	p = p[d.to-at:]
	d.Write(p)
	d.to += int64(len(p))
}

// of returns the digest of the bytes [from,to), or nil if it has covered others.
func (d *runningDigest) of(from, to int64) []byte {
	if d == nil || from != d.from || to != d.to {
		return nil
	}
	return d.Sum(nil)
}
