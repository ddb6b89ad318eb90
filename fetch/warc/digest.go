package warc

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"hash"
	"io"
	"sync"
)

// A payloadDigest is the SHA-1 of a payload.
type payloadDigest struct {
	sum  [sha1.Size]byte
	size int64
}

// String is labelled and in base32, as indexes have it.
func (d payloadDigest) String() string {
	b := base32.StdEncoding.AppendEncode(append(make([]byte, 0, 40), "sha1:"...), d.sum[:])
	return string(b)
}

func labelled256(sum []byte) string {
	b := hex.AppendEncode(append(make([]byte, 0, 80), "sha256:"...), sum)
	return string(b)
}

// sumsOfObject begins the digests of a long object, which is block and payload at once.
func sumsOfObject([]byte) *sums { return &sums{newRunning(0, sha256.New()), newRunning(0, sha1.New())} }

// sums are the digests of a long block and of its payload, taken while it comes. nil takes none.
type sums struct{ block, payload *running }

func (s *sums) take(at int64, p []byte) {
	if s != nil {
		s.block.take(at, p)
		s.payload.take(at, p)
	}
}

// A running digest is that of all octets from one on; nil is none.
type running struct {
	hash.Hash
	from, to int64
}

func newRunning(from int64, h hash.Hash) *running { return &running{h, from, from} }

// take takes octets that stand at an offset: those that follow what was taken.
func (d *running) take(at int64, p []byte) {
	if d == nil || at+int64(len(p)) <= d.to {
		return
	}
	p = p[d.to-at:]
	d.Write(p)
	d.to += int64(len(p))
}

// of returns the digest of the octets [from,to), or nil if that is not what was taken.
func (d *running) of(from, to int64) []byte {
	if d == nil || from != d.from || to != d.to {
		return nil
	}
	return d.Sum(nil)
}

// digestOf is the digest of the octets [from,to) of a spool.
func (r *Recorder) digestOf(s *spool, from, to int64) payloadDigest {
	if s.file == nil {
		return payloadDigest{sha1.Sum(s.mem[from:to]), to - from}
	}
	if s.sums != nil {
		if sum := s.sums.payload.of(from, to); sum != nil {
			return payloadDigest{[sha1.Size]byte(sum), to - from}
		}
	}
	d, _ := r.digest(s.section(from, to))
	return d
}

// digest reads in to its end.
func (r *Recorder) digest(in io.Reader) (payloadDigest, error) {
	buf, ok := r.copies.Get().(*[16 << 10]byte)
	if !ok {
		buf = new([16 << 10]byte)
	}
	defer r.copies.Put(buf)
	h := sha1.New()
	n, err := io.CopyBuffer(h, in, buf[:])
	return payloadDigest{[sha1.Size]byte(h.Sum(nil)), n}, err
}

// digest256 is the SHA-256 of a block, the octets [from,to) of a spool.
func digest256(s *spool, from, to int64) string {
	if s.file == nil {
		sum := sha256.Sum256(s.mem[from:to])
		return labelled256(sum[:])
	}
	if s.sums != nil {
		if sum := s.sums.block.of(from, to); sum != nil {
			return labelled256(sum)
		}
	}
	h := sha256.New()
	io.Copy(h, s.section(from, to))
	return labelled256(h.Sum(nil))
}

// A visit is where a payload was first stored.
type visit struct{ id, target, date string }

// maxSeen bounds the payloads that are remembered: later ones are stored again.
const maxSeen = 1 << 17

// seen are the payloads that are in the archive already, by digest.
type seen struct {
	mu sync.Mutex
	at map[[sha1.Size]byte]visit
}

func (s *seen) find(d payloadDigest) (visit, bool) {
	if d.size == 0 {
		return visit{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.at[d.sum]
	return v, ok
}

// add notes the records that were written whole.
func (s *seen) add(records []*Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		if r.original.size == 0 || len(s.at) >= maxSeen {
			continue
		}
		if s.at == nil {
			s.at = map[[sha1.Size]byte]visit{}
		}
		if _, ok := s.at[r.original.sum]; !ok {
			s.at[r.original.sum] = visit{r.ID(), r.Target(), r.Fields.Get("WARC-Date")}
		}
	}
}

// A known payload was in the archive before.
type known struct {
	sum [sha1.Size]byte
	visit
}

// learn notes what was in the archive before.
func (s *seen) learn(all []known) {
	if len(all) > 0 && s.at == nil {
		s.at = map[[sha1.Size]byte]visit{}
	}
	for _, k := range all {
		if _, ok := s.at[k.sum]; !ok && len(s.at) < maxSeen {
			s.at[k.sum] = k.visit
		}
	}
}

// sameProfile is the profile of a revisit whose payload is known (ISO 28500:2017 section 6.7.2).
const sameProfile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

// revisit makes r a record of what is stored already, under whatever URI.
func (r *Record) revisit(first visit) {
	r.Fields[0].Value = Revisit
	r.Fields.add("WARC-Profile", sameProfile)
	r.Fields.add("WARC-Refers-To", first.id)
	r.Fields.add("WARC-Refers-To-Target-URI", first.target)
	r.Fields.add("WARC-Refers-To-Date", first.date)
}
