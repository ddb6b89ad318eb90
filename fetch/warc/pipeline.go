package warc

import (
	"crypto/sha1"
	"crypto/sha256"
	"hash"
	"runtime"
)

// A digestPair computes the digests of a long block and of its payload while they are written: on another core if there is one, since the
// digests take about as long as everything else. A nil one computes nothing.
type digestPair struct {
	block, payload *runningDigest
	pieces         chan digestPiece // to the goroutine that computes them; nil if there is none
	free           chan []byte      // buffers to reuse
	ended          chan struct{}    // closed by that goroutine
}

// A digestPiece is a part of a block. Its memory belongs to the digestPair.
type digestPiece struct {
	at int64
	p  []byte
}

// maxAhead bounds the pieces that wait for the digests. A faster writer waits.
const maxAhead = 4

// objectDigests starts the digests of a long object, which is both block and payload.
func objectDigests([]byte) *digestPair {
	return newDigestPair(newRunningDigest(0, sha256.New()), newRunningDigest(0, sha1.New()))
}

// newDigestPair starts the goroutine, which close or the first result ends.
func newDigestPair(block, payload *runningDigest) *digestPair {
	s := &digestPair{block: block, payload: payload}
	if runtime.GOMAXPROCS(0) > 1 {
		s.pieces, s.free, s.ended = make(chan digestPiece, maxAhead), make(chan []byte, maxAhead+2), make(chan struct{})
		go s.run(s.pieces, s.ended)
	}
	return s
}

func (s *digestPair) run(pieces <-chan digestPiece, ended chan<- struct{}) {
	defer close(ended)
	for x := range pieces {
		s.block.update(x.at, x.p)
		s.payload.update(x.at, x.p)
		select {
		case s.free <- x.p:
		default:
		}
	}
}

// update adds p, which begins at offset at.
func (s *digestPair) update(at int64, p []byte) {
	switch {
	case s == nil:
	case s.pieces == nil:
		s.block.update(at, p)
		s.payload.update(at, p)
	default:
		var own []byte
		select {
		case own = <-s.free:
		default:
		}
		s.pieces <- digestPiece{at, append(own[:0], p...)}
	}
}

// close waits until everything is digested. Later updates run in the caller's goroutine.
func (s *digestPair) close() {
	if s != nil && s.pieces != nil {
		close(s.pieces)
		<-s.ended
		s.pieces, s.free = nil, nil
	}
}

// ofBlock returns the block digest of the bytes [from,to), or nil if the digest covers others.
func (s *digestPair) ofBlock(from, to int64) []byte {
	if s == nil {
		return nil
	}
	s.close()
	return s.block.of(from, to)
}

// ofPayload is ofBlock for the payload digest.
func (s *digestPair) ofPayload(from, to int64) []byte {
	if s == nil {
		return nil
	}
	s.close()
	return s.payload.of(from, to)
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
