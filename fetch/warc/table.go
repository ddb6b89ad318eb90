package warc

import (
	"crypto/sha1"
	"fmt"
	"strings"

	"example.org/deref/fetch/internal/spill"
)

// A table maps SHA-1 sums to texts of one line. It is a sorted text, which is searched by bisection, so that its size does not matter.
type table struct {
	lines  spill.Sorter
	sorted spool
}

func newTable(dir string) *table { return &table{spill.Sorter{Dir: dir}, spool{dir: dir}} }

// add adds a text with a date in microseconds. The latest date of a key comes first.
func (t *table) add(key [sha1.Size]byte, date int64, text string) error {
	return t.lines.Add(fmt.Sprintf("%x %016x %s", key, ^uint64(date)^1<<63, text))
}

// build sorts the lines. Afterwards the table can be searched.
func (t *table) build() error {
	defer t.lines.Close()
	return t.lines.Write(&t.sorted)
}

// latest returns the latest text of a key for which ok returns true.
func (t *table) latest(key [sha1.Size]byte, ok func(text string) bool) (text string, found bool) {
	prefix, n := fmt.Sprintf("%x ", key), 0
	spill.EachFrom(&t.sorted, t.sorted.size, prefix, func(line string) bool {
		rest, same := strings.CutPrefix(line, prefix)
		if n++; !same || n > maxSameKey {
			return false
		}
		_, text, _ = strings.Cut(rest, " ")
		found = ok(text)
		return !found
	})
	return text, found
}

// maxSameKey bounds the texts that are compared for one key.
const maxSameKey = 1000

func (t *table) close() {
	t.lines.Close()
	t.sorted.close()
}
