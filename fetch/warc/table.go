package warc

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"io"
	"slices"

	"example.org/deref/fetch/internal/spill"
)

// A table maps SHA-1 sums to places of records. It is built in sorted runs, merged into an unnamed file, and searched there by bisection, so
// that its size does not matter.
type table struct {
	dir   string
	rows  []row
	runs  []*spill.File
	file  *spill.File
	count int64
}

// A row is an entry of a table.
type row struct {
	key   [20]byte
	place place
	date  int64 // in microseconds: of several with one key the latest is used
}

// A place locates a record, or the line of an index about one.
type place struct {
	file   int32
	isLine bool
	offset int64
	within int64
}

const (
	rowSize = 20 + 4 + 8 + 8 + 8
	maxRows = 1 << 15 // in memory
)

func (r *row) append(b []byte) []byte {
	file := uint32(r.place.file) << 1
	if r.place.isLine {
		file |= 1
	}
	b = binary.BigEndian.AppendUint32(append(b, r.key[:]...), file)
	for _, n := range [...]int64{r.date, r.place.offset, r.place.within} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func parseRow(b []byte) (r row) {
	copy(r.key[:], b)
	file := binary.BigEndian.Uint32(b[20:])
	r.place.file, r.place.isLine = int32(file>>1), file&1 != 0
	for i, n := range [...]*int64{&r.date, &r.place.offset, &r.place.within} {
		*n = int64(binary.BigEndian.Uint64(b[24+8*i:]))
	}
	return r
}

func (t *table) add(r row) error {
	if t.rows = append(t.rows, r); len(t.rows) < maxRows {
		return nil
	}
	return t.spill()
}

// spill writes the rows in memory as a sorted run.
func (t *table) spill() error {
	slices.SortFunc(t.rows, func(a, b row) int { return bytes.Compare(a.key[:], b.key[:]) })
	f, err := spill.Create(t.dir)
	if err != nil {
		return err
	}
	t.runs = append(t.runs, f)
	w := bufio.NewWriter(f)
	var b []byte
	for i := range t.rows {
		b = t.rows[i].append(b[:0])
		w.Write(b)
	}
	t.rows = t.rows[:0]
	return w.Flush()
}

// build merges the runs. Afterwards the table can be searched.
func (t *table) build() (err error) {
	if err = t.spill(); err != nil {
		return err
	}
	if t.rows = nil; len(t.runs) > 1 {
		err = t.merge()
	} else {
		t.file, t.runs = t.runs[0], nil
	}
	if err != nil {
		return err
	}
	is, err := t.file.Stat()
	if err == nil {
		t.count = is.Size() / rowSize
	}
	return err
}

func (t *table) merge() (err error) {
	if t.file, err = spill.Create(t.dir); err != nil {
		return err
	}
	w := bufio.NewWriter(t.file)
	var q runs
	for _, f := range t.runs {
		r := &run{in: bufio.NewReader(io.NewSectionReader(f, 0, 1<<62))}
		if r.next() {
			q = append(q, r)
		}
	}
	heap.Init(&q)
	for len(q) > 0 {
		w.Write(q[0].head[:])
		if q[0].next() {
			heap.Fix(&q, 0)
		} else if err := q[0].err; err != nil {
			return err
		} else {
			heap.Pop(&q)
		}
	}
	for _, f := range t.runs {
		f.Close()
	}
	t.runs = nil
	return w.Flush()
}

// latest returns the latest row of a key for which ok returns true.
func (t *table) latest(key [20]byte, ok func(place) bool) (place, bool) {
	lo, hi := int64(0), t.count // rows before lo are at most key, rows from hi on are greater
	for lo < hi {
		mid := lo + (hi-lo)/2
		r, err := t.at(mid)
		if err != nil {
			return place{}, false
		}
		if bytes.Compare(r.key[:], key[:]) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	var best row
	found := false
	for n := lo - 1; n >= 0 && lo-n <= maxSameKey; n-- {
		r, err := t.at(n)
		if err != nil || r.key != key {
			break
		}
		if (!found || r.date > best.date) && ok(r.place) {
			best, found = r, true
		}
	}
	return best.place, found
}

// maxSameKey bounds the rows that are compared for one key.
const maxSameKey = 1000

func (t *table) at(n int64) (row, error) {
	var b [rowSize]byte
	_, err := t.file.ReadAt(b[:], n*rowSize)
	return parseRow(b[:]), err
}

func (t *table) close() {
	for _, f := range t.runs {
		f.Close()
	}
	t.file.Close()
}

// A run is a sorted run that is being merged.
type run struct {
	in   *bufio.Reader
	head [rowSize]byte
	err  error
}

func (r *run) next() bool {
	_, err := io.ReadFull(r.in, r.head[:])
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err == nil
}

type runs []*run

func (q runs) Len() int           { return len(q) }
func (q runs) Less(i, j int) bool { return bytes.Compare(q[i].head[:20], q[j].head[:20]) < 0 }
func (q runs) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *runs) Push(x any)        { *q = append(*q, x.(*run)) }
func (q *runs) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
