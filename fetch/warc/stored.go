package warc

import (
	"crypto/sha1"
	"encoding/binary"
	"sync"

	"example.org/deref/fetch/internal/spill"
)

// A payloadKey names a payload. A document of another protocol is not a revisit of an HTTP response: pywb would show the response with its
// head. The reverse is shown correctly.
type payloadKey struct {
	sum    [sha1.Size]byte
	inHTTP bool
}

// short returns a number that few payloads share.
func (k payloadKey) short() uint64 {
	n := binary.BigEndian.Uint64(k.sum[:]) &^ 1
	if k.inHTTP {
		n |= 1
	}
	return n
}

// A storedCopy identifies the record that first stored a payload.
type storedCopy struct{ id, target, date string }

// maxStored bounds the payloads that are remembered. Later ones are stored again.
const maxStored = 1 << 17

// storedPayloads are the payloads that are in the archive already. In memory are only short numbers, at most about 5 MB; what a revisit
// needs is in an unnamed file, so that a long URI takes no memory.
type storedPayloads struct {
	dir    string
	mu     sync.Mutex
	at     map[uint64]int64 // by payloadKey.short: where its entry begins
	file   *spill.File      // nil until recent is full
	inFile int64            // bytes in file
	recent []byte           // the entries after those
	ended  bool             // nothing more can be remembered
}

// maxRecent is how many bytes of entries are written together.
const maxRecent = 32 << 10

// lookup returns the record that has a payload.
func (s *storedPayloads) lookup(d payloadDigest, inHTTP bool) (storedCopy, bool) {
	if d.size == 0 {
		return storedCopy{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.find(payloadKey{d.sum, false})
	if !ok && inHTTP {
		v, ok = s.find(payloadKey{d.sum, true})
	}
	return v, ok
}

// addAll notes records that were written completely.
func (s *storedPayloads) addAll(records []*Record) {
	for _, r := range records {
		if r.original.size > 0 {
			s.add(payloadKey{r.original.sum, r.Type() == Response}, storedCopy{r.ID(), r.Target(), r.Fields.Get("WARC-Date")})
		}
	}
}

// add notes a payload, unless it is known. If the file cannot be written, the payload is stored again, if there is room for it.
func (s *storedPayloads) add(k payloadKey, c storedCopy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.at[k.short()]; ok || len(s.at) >= maxStored || s.ended {
		return
	}
	if s.at == nil {
		s.at = map[uint64]int64{}
	}
	s.at[k.short()] = s.inFile + int64(len(s.recent))
	s.recent = appendStored(s.recent, k, c)
	if len(s.recent) < maxRecent {
		return
	}
	if s.file == nil {
		var err error
		if s.file, err = spill.Create(s.dir); err != nil {
			s.ended = true
			return
		}
	}
	if _, err := s.file.WriteAt(s.recent, s.inFile); err != nil {
		s.ended = true
		return
	}
	s.inFile += int64(len(s.recent))
	s.recent = s.recent[:0]
}

// find reads an entry. The caller holds mu.
func (s *storedPayloads) find(k payloadKey) (storedCopy, bool) {
	at, ok := s.at[k.short()]
	if !ok {
		return storedCopy{}, false
	}
	if at >= s.inFile {
		return parseStored(s.recent[at-s.inFile:], k)
	}
	b := make([]byte, 512)
	n, _ := s.file.ReadAt(b, at)
	if b = b[:n]; n < 4 {
		return storedCopy{}, false
	}
	if size := int(binary.BigEndian.Uint32(b)); size > n { // an entry with a long URI
		b = make([]byte, size)
		if _, err := s.file.ReadAt(b, at); err != nil {
			return storedCopy{}, false
		}
	}
	return parseStored(b, k)
}

// close frees the resources of s. Nothing is found afterwards.
func (s *storedPayloads) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.Close()
	s.file, s.at, s.recent, s.ended = nil, nil, nil, true
}

// appendStored appends an entry: its length, the key, and three strings, each after its length.
func appendStored(b []byte, k payloadKey, c storedCopy) []byte {
	begin := len(b)
	b = append(append(b, 0, 0, 0, 0), k.sum[:]...)
	if k.inHTTP {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	for _, s := range [...]string{c.id, c.target, c.date} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	binary.BigEndian.PutUint32(b[begin:], uint32(len(b)-begin))
	return b
}

// parseStored parses the entry at the beginning of b. It returns false if it is about another payload.
func parseStored(b []byte, k payloadKey) (c storedCopy, ok bool) {
	if [sha1.Size]byte(b[4:]) != k.sum || (b[4+sha1.Size] == 1) != k.inHTTP {
		return c, false
	}
	b = b[4+sha1.Size+1:]
	for _, s := range [...]*string{&c.id, &c.target, &c.date} {
		n := binary.BigEndian.Uint32(b)
		*s, b = string(b[4:4+n]), b[4+n:]
	}
	return c, true
}
