package warc

import (
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// SetNow replaces the clock of a Writer.
func SetNow(o *Options, now func() time.Time) { o.now = now }

// GzipPieceSize is the content of one piece of a long gzip member.
const GzipPieceSize = gzipPieceSize

// ParallelGzip starts the member of a long record.
func ParallelGzip(w io.Writer) io.WriteCloser {
	return new(gzipPacker).member(&pieces.CountWriter{W: w}, &Record{Size: minParallel})
}

// InMemory is how much of a block is held in memory.
const InMemory = inMemory

// Noted returns the number of URIs of which an Archive holds records in memory.
func (a *Archive) Noted() int { return len(a.at) }

// OpenLong is OpenArchive for files that are all long.
func OpenLong(list []fetch.Scheme, names ...string) (*Archive, error) {
	return openAll(&Archive{list: list, at: map[string][]recordRef{}}, names)
}
