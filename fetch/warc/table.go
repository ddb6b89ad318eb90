package warc

import (
	"bufio"
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"

	"example.org/deref/fetch/internal/spill"
)

// A table maps SHA-1 sums to places of records. It is a sorted text, which is searched by bisection, so that its size does not matter.
type table struct {
	lines  spill.Sorter
	sorted spool
}

// A place locates a record, or the line of an index about one.
type place struct {
	file   int32
	isLine bool
	offset int64
	within int64
}

func newTable(dir string) *table { return &table{spill.Sorter{Dir: dir}, spool{dir: dir}} }

// add adds a place with a date in microseconds. The latest date of a key comes first.
func (t *table) add(key [sha1.Size]byte, at place, date int64) error {
	return t.lines.Add(fmt.Sprintf("%s %016x %d %t %d %d", hex.EncodeToString(key[:]), ^uint64(date)^1<<63, at.file, at.isLine, at.offset, at.within))
}

// build sorts the lines. Afterwards the table can be searched.
func (t *table) build() error {
	w := bufio.NewWriter(&t.sorted)
	err := t.lines.Write(w)
	t.lines.Close()
	return cmp.Or(err, w.Flush())
}

// latest returns the latest place of a key for which ok returns true.
func (t *table) latest(key [sha1.Size]byte, ok func(place) bool) (p place, found bool) {
	prefix, n := hex.EncodeToString(key[:]), 0
	spill.EachFrom(&t.sorted, t.sorted.size, prefix, func(line string) bool {
		rest, same := strings.CutPrefix(line, prefix)
		if n++; !same || n > maxSameKey {
			return false
		}
		var date string
		fmt.Sscan(rest, &date, &p.file, &p.isLine, &p.offset, &p.within)
		found = ok(p)
		return !found
	})
	return p, found
}

// maxSameKey bounds the places that are compared for one key.
const maxSameKey = 1000

func (t *table) close() {
	t.lines.Close()
	t.sorted.close()
}
