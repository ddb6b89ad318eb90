package warc

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"sync"

	"example.org/deref/fetch/internal/spill"
)

// A payloadKey names a payload. A document of another protocol is not a revisit of an HTTP response: pywb would show the response with its
// head. The reverse is shown correctly.
type payloadKey struct {
	sum    [sha1.Size]byte
	inHTTP bool
}

func (k payloadKey) String() string { return fmt.Sprintf("%x %t", k.sum, k.inHTTP) }

// A storedCopy identifies the record that first stored a payload.
type storedCopy struct{ ID, Target, Date string }

func (r *Record) copy() storedCopy { return storedCopy{r.ID(), r.Target(), r.Fields.Get("WARC-Date")} }

// A storedEntry is the storedCopy of a payload.
type storedEntry struct {
	Key string // see payloadKey.String
	storedCopy
}

// storedPayloads are the payloads that are in the archive already. They are in unnamed files if they are many.
type storedPayloads struct {
	mu      sync.Mutex
	at      spill.Table // where their entries begin
	entries spool
	ended   bool // nothing more can be remembered
}

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

// addAll notes records that were written completely, unless their payloads are known.
func (s *storedPayloads) addAll(records []*Record) {
	for _, r := range records {
		if r.original.size > 0 {
			s.put(payloadKey{r.original.sum, r.Type() == Response}, r.copy(), false)
		}
	}
}

// put notes a payload, in place of what is known about it if replace is set. If there is no room for it, it is stored again.
func (s *storedPayloads) put(k payloadKey, c storedCopy, replace bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.find(k); s.ended || ok && (!replace || old == c) {
		return
	}
	at := s.entries.size
	err := json.NewEncoder(&s.entries).Encode(storedEntry{k.String(), c})
	if err == nil {
		err = s.at.Put(k.String(), s.is(k, &storedEntry{}), at)
	}
	s.ended = err != nil
}

// find reads an entry. The caller holds mu.
func (s *storedPayloads) find(k payloadKey) (storedCopy, bool) {
	var e storedEntry
	_, ok, err := s.at.Find(k.String(), s.is(k, &e))
	return e.storedCopy, ok && err == nil
}

// is returns a function that reads the entry at a position into e, and reports whether it is that of a payload.
func (s *storedPayloads) is(k payloadKey, e *storedEntry) func(at int64) bool {
	return func(at int64) bool {
		*e = storedEntry{}
		return json.NewDecoder(s.entries.from(at)).Decode(e) == nil && e.Key == k.String()
	}
}

// close frees the resources of s. Nothing is found afterwards.
func (s *storedPayloads) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at.Close()
	s.entries.close()
	s.ended = true
}
