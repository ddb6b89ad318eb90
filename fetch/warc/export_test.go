package warc

import (
	"time"

	"example.org/deref/fetch"
)

// SetNow replaces the clock of a Writer.
func SetNow(o *Options, now func() time.Time) { o.now = now }

// InMemory is how much of a block is held in memory.
const InMemory = inMemory

// Noted returns the number of URIs of which an Archive holds records in memory.
func (a *Archive) Noted() int { return len(a.at) }

// OpenLong is OpenArchive for files that are all long.
func OpenLong(list []fetch.Scheme, names ...string) (*Archive, error) {
	return openAll(&Archive{list: list, at: map[string][]recordRef{}}, names)
}
