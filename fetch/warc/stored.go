package warc

import (
	"encoding/json"
	"strconv"
	"sync"

	"example.org/deref/fetch/internal/spill"
)

// storedPayloads are the Originals of the payloads that are in the archive already. They are in unnamed files if they are many.
type storedPayloads struct {
	mu      sync.Mutex
	at      spill.Table // where their entries begin
	entries spool
	ended   bool // nothing more can be remembered
}

// key identifies a payload. A document of another protocol is not a revisit of an HTTP response: pywb would show the response with its
// head. The reverse is shown correctly.
func (o *Original) key() string { return o.Digest + " " + strconv.FormatBool(o.HTTP) }

// lookup returns the record that has a payload.
func (s *storedPayloads) lookup(d payloadDigest, inHTTP bool) (Original, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := Original{Digest: d.String()}
	o, ok := s.find(&want)
	if !ok && inHTTP {
		want.HTTP = true
		o, ok = s.find(&want)
	}
	return o, ok
}

// addAll notes records that were written completely, unless their payloads are known.
func (s *storedPayloads) addAll(records []*Record) {
	for _, r := range records {
		if r.isOriginal {
			s.put(r.identity(), false)
		}
	}
}

// put notes a payload, in place of what is known about it if replace is set. If there is no room for it, it is stored again.
func (s *storedPayloads) put(o Original, replace bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.find(&o); s.ended || ok && (!replace || old == o) {
		return
	}
	at := s.entries.size
	err := json.NewEncoder(&s.entries).Encode(o)
	if err == nil {
		err = s.at.Put(o.key(), s.is(&o, &Original{}), at)
	}
	s.ended = err != nil
}

// find reads an entry. The caller holds mu.
func (s *storedPayloads) find(want *Original) (o Original, ok bool) {
	_, ok, err := s.at.Find(want.key(), s.is(want, &o))
	return o, ok && err == nil
}

// is returns a function that reads the entry at a position into o, and reports whether it is that of the wanted payload.
func (s *storedPayloads) is(want, o *Original) func(at int64) bool {
	return func(at int64) bool {
		*o = Original{}
		return json.NewDecoder(s.entries.from(at)).Decode(o) == nil && o.key() == want.key()
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
