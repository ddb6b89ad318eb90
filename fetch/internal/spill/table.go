package spill

import (
	"encoding/binary"
	"hash/maphash"
	"io"
)

// A Table maps the keys of things in a file to their offsets. It stores hashes with a secret seed, so that nobody can construct keys with equal
// ones, and the caller compares the things themselves. A small table is in memory, a larger one in a File. A Table is not safe for concurrent
// use. The zero value is empty.
type Table struct {
	Dir string // for the File, see Create

	seed  maphash.Seed
	small []slot // while it is in memory
	file  *File
	size  uint64 // slots, a power of two
	used  uint64
}

// A slot holds the offset plus one; 0 is a free slot.
type slot struct{ hash, value uint64 }

const (
	slotSize  = 16
	firstSize = 1 << 10 // slots
	smallMost = 1 << 16 // slots in memory: 1 MiB
	spillSize = 1 << 20 // slots of the first file: 16 MiB, mostly empty
	window    = 16      // slots read at once
)

// Find returns the offset with that key for which is returns true. ok is false if there is none.
func (t *Table) Find(key string, is func(offset int64) bool) (offset int64, ok bool, err error) {
	if t.size == 0 {
		return 0, false, nil
	}
	_, s, err := t.look(maphash.String(t.seed, key), is)
	return int64(s.value) - 1, s.value != 0 && err == nil, err
}

// Put adds an offset, replacing the one for which is returns true, if there is one.
func (t *Table) Put(key string, is func(offset int64) bool, offset int64) error {
	if t.size == 0 {
		t.seed = maphash.MakeSeed()
	}
	return t.put(maphash.String(t.seed, key), is, offset)
}

func (t *Table) put(hash uint64, is func(int64) bool, offset int64) error {
	if t.used >= t.size/4*3 {
		if err := t.grow(); err != nil {
			return err
		}
	}
	i, s, err := t.look(hash, is)
	if err != nil {
		return err
	}
	if s.value == 0 {
		t.used++
	}
	return t.set(i, slot{hash, uint64(offset) + 1})
}

// Len returns the number of offsets.
func (t *Table) Len() int64 { return int64(t.used) }

// Close removes the file and empties the table.
func (t *Table) Close() error {
	f := t.file
	*t = Table{Dir: t.Dir}
	return f.Close()
}

// look returns the slot whose offset satisfies is, or the free slot for such an offset.
func (t *Table) look(hash uint64, is func(int64) bool) (i uint64, s slot, err error) {
	var w reading
	for i = hash & (t.size - 1); ; i = (i + 1) & (t.size - 1) {
		if s, err = w.slot(t, i); err != nil || s.value == 0 || s.hash == hash && is(int64(s.value)-1) {
			return i, s, err
		}
	}
}

// A reading holds the slots read last.
type reading struct {
	bytes [window * slotSize]byte
	at    uint64
	n     uint64
}

func (w *reading) slot(t *Table, i uint64) (slot, error) {
	if t.file == nil {
		return t.small[i], nil
	}
	if i < w.at || i >= w.at+w.n {
		n, err := t.file.ReadAt(w.bytes[:min(window, t.size-i)*slotSize], int64(i*slotSize))
		if err != nil && err != io.EOF || n < slotSize {
			return slot{}, err
		}
		w.at, w.n = i, uint64(n/slotSize)
	}
	b := w.bytes[(i-w.at)*slotSize:]
	return slot{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}, nil
}

func (t *Table) set(i uint64, s slot) error {
	if t.file == nil {
		t.small[i] = s
		return nil
	}
	var b [slotSize]byte
	binary.LittleEndian.PutUint64(b[:], s.hash)
	binary.LittleEndian.PutUint64(b[8:], s.value)
	_, err := t.file.WriteAt(b[:], int64(i*slotSize))
	return err
}

// grow moves everything into a larger table.
func (t *Table) grow() error {
	next := Table{Dir: t.Dir, seed: t.seed, size: max(firstSize, t.size*4)}
	if next.size <= smallMost {
		next.small = make([]slot, next.size)
	} else if err := next.spill(); err != nil {
		return err
	}
	var w reading
	for i := range t.size {
		s, err := w.slot(t, i)
		if err == nil && s.value != 0 {
			err = next.put(s.hash, func(int64) bool { return false }, int64(s.value)-1)
		}
		if err != nil {
			next.Close()
			return err
		}
	}
	t.Close()
	*t = next
	return nil
}

// spill creates the file. It has its full length at once, but file systems do not store zeros.
func (t *Table) spill() (err error) {
	t.size = max(t.size, spillSize)
	if t.file, err = Create(t.Dir); err != nil {
		return err
	}
	if err = t.file.Truncate(int64(t.size * slotSize)); err != nil {
		t.Close()
	}
	return err
}
