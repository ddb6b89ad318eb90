package batch

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/save"
)

// A State is a file that records which items of a list are done. A Run with the State of an earlier one, however that ended, does the items
// that it did not do, and those that failed.
//
// After a head of one record, the file has a record of 16 bytes for each item, so that neither memory nor time depend on the length of the
// list: "+" done, "-" failed, NUL not yet; then 13 digits that identify the item, and LF. A record is written when the item is finished
// (with Options.Commit, after the Commit that covers it), and never crosses a memory page: after SIGKILL it is complete or absent.
//
// The list must be the same; it may have grown at its end. A State belongs to one Run at a time, and to one process.
type State struct {
	file    *os.File
	resumed bool
	mu      sync.Mutex
	ahead   []byte // records read ahead
	at      int64  // number of the first one's item
}

const (
	recordSize = 16
	stateHead  = "deref-batch v01\n"
	readAhead  = 4096 * recordSize
)

// OpenState opens the file path and creates it if it does not exist.
func OpenState(path string) (*State, error) {
	f, err := save.Open(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	s := &State{file: f}
	if err := s.begin(path); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *State) begin(path string) error {
	if _, err := lock.File(s.file); err != nil {
		return err
	}
	var head [recordSize]byte
	switch n, err := s.file.ReadAt(head[:], 0); {
	case strings.HasPrefix(stateHead, string(head[:n])) && n < recordSize && err == io.EOF: // it is new, or its first write was lost
		return s.Reset()
	case err != nil && err != io.EOF:
		return save.LocalError(err)
	case string(head[:n]) != stateHead:
		return fetch.Errorf(fetch.ErrLocal, "%s is not the state of a batch", path)
	}
	s.resumed = true
	return nil
}

// Reset forgets what is done, for another list. The file stays locked.
func (s *State) Reset() error {
	if s.resumed {
		if err := s.file.Truncate(0); err != nil {
			return save.DiskError(err)
		}
		s.resumed, s.ahead = false, nil
	}
	_, err := s.file.WriteAt([]byte(stateHead), 0)
	return save.DiskError(err)
}

// Close closes the file.
func (s *State) Close() error { return lock.Close(s.file) }

// Done reports whether an earlier run has done the item. Items must be passed in order.
func (s *State) Done(it *Item) (bool, error) {
	if !s.resumed {
		return false, nil
	}
	r, err := s.record(it.Number)
	if err != nil {
		return false, err
	}
	it.Again = true
	if len(r) < recordSize || r[0] != '+' && r[0] != '-' {
		return false, nil
	}
	if want := it.record(string(r[:1])); !bytes.Equal(r, want) {
		return false, fetch.Errorf(fetch.ErrLocal, "item %d of the list differs from the one in the state", it.Number+1)
	}
	return r[0] == '+', nil
}

// record returns the record of an item, shortened by the end of the file.
func (s *State) record(n int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.at || n >= s.at+readAhead/recordSize || s.ahead == nil {
		if s.ahead == nil {
			s.ahead = make([]byte, 0, readAhead)
		}
		got, err := s.file.ReadAt(s.ahead[:readAhead], (1+n)*recordSize)
		if err != nil && err != io.EOF {
			return nil, save.LocalError(err)
		}
		s.ahead, s.at = s.ahead[:got], n
	}
	i := (n - s.at) * recordSize
	if i >= int64(len(s.ahead)) {
		return nil, nil
	}
	return s.ahead[i:min(i+recordSize, int64(len(s.ahead)))], nil
}

// Note writes the results of items.
func (s *State) Note(items []Finished) (n int, err error) {
	for i, f := range items {
		mark := "+"
		if f.Err != nil {
			mark = "-"
		}
		if _, err := s.file.WriteAt(f.Item.record(mark), (1+f.Item.Number)*recordSize); err != nil {
			return i, fetch.Errorf(fetch.ErrDisk, "the state of the batch: %w", err)
		}
	}
	return len(items), nil
}

// record returns the item's record.
func (it *Item) record(mark string) []byte {
	digits := strconv.FormatUint(it.hash(), 32)
	return []byte(mark + " " + strings.Repeat("0", recordSize-3-len(digits)) + digits + "\n")
}

// hash returns a hash of the fields of the item's request, and of what its document must be.
func (it *Item) hash() uint64 {
	h := fnv.New64a()
	io.WriteString(h, it.URI.String()+"\x00")
	if it.Name != "" || !it.Range.IsZero() || it.Search != nil {
		io.WriteString(h, it.Name+"\x00"+fmt.Sprint(it.Range, it.Search)+"\x00")
	}
	if it.Set != nil {
		fmt.Fprint(h, it.Set, "\x00")
	}
	if it.Check != nil {
		fmt.Fprint(h, it.Check.Digests)
	}
	return h.Sum64()
}
