package warc

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// inMemory is how much of a block is kept in memory until its length and digests are known.
const inMemory = 512 << 10

// A spool holds a block until it is whole: in memory, and from a certain length on in a file that has no name any more, so that
// nothing is left of it whatever happens.
type spool struct {
	dir  string
	room *sync.Pool // of *[]byte for mem; nil makes it anew
	mem  []byte
	back *[]byte // in which mem goes back to room
	file *os.File
	size int64
	err  error                        // the first of writing
	long func(beginning []byte) *sums // of one that goes into a file: what is to be summed up meanwhile; nil reads it again for that
	sums *sums
}

func (s *spool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.file == nil && len(s.mem)+len(p) <= inMemory {
		if s.mem == nil {
			s.take()
		}
		s.mem = append(s.mem, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	if s.file == nil {
		if s.err = s.spill(); s.err != nil {
			return 0, s.err
		}
	}
	n, err := s.file.Write(p)
	s.sums.take(s.size, p[:n])
	s.size += int64(n)
	s.err = err
	return n, err
}

// spill moves what there is into a file.
func (s *spool) spill() (err error) {
	if s.file, err = os.CreateTemp(s.dir, ".deref-warc-"); err != nil {
		return err
	}
	os.Remove(s.file.Name()) // where a file in use cannot be removed, close does
	_, err = s.file.Write(s.mem)
	if s.long != nil {
		s.sums = s.long(s.mem)
		s.sums.take(0, s.mem)
	}
	s.give()
	return err
}

// take takes room, and give gives it back.
func (s *spool) take() {
	if s.room == nil {
		return
	}
	var ok bool
	if s.back, ok = s.room.Get().(*[]byte); !ok {
		s.back = new([]byte)
	}
	s.mem = (*s.back)[:0]
}

func (s *spool) give() {
	if s.back != nil {
		*s.back = s.mem
		s.room.Put(s.back)
	}
	s.mem, s.back = nil, nil
}

// from reads the octets from offset on.
func (s *spool) from(offset int64) io.Reader { return s.section(offset, s.size) }

// section reads the octets [from,to).
func (s *spool) section(from, to int64) io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.mem[from:to])
	}
	return &stretch{io.NewSectionReader(s.file, from, to-from), s.file}
}

// A stretch of a file is copied into another file by the system, where it knows how.
type stretch struct {
	*io.SectionReader
	file *os.File
}

func (s *stretch) WriteTo(w io.Writer) (int64, error) {
	_, base, _ := s.Outer()
	at, _ := s.Seek(0, io.SeekCurrent)
	if _, err := s.file.Seek(base+at, io.SeekStart); err != nil {
		return 0, err
	}
	left := &io.LimitedReader{R: s.file, N: s.Size() - at}
	to, ok := w.(io.ReaderFrom)
	if !ok {
		return io.CopyBuffer(w, left, make([]byte, min(left.N, 128<<10)))
	}
	return to.ReadFrom(left)
}

// sample returns some octets of those from offset on. They are of the middle: what is compressed has often a head that is not.
func (s *spool) sample(offset int64) []byte {
	n := min(4<<10, s.size-offset)
	offset += (s.size - offset - n) / 2
	if s.file == nil {
		return s.mem[offset : offset+n]
	}
	b := make([]byte, n)
	k, _ := s.file.ReadAt(b, offset)
	return b[:k]
}

// beginning returns the first n octets.
func (s *spool) beginning(n int64) []byte {
	if s.file == nil {
		return s.mem[:n]
	}
	b := make([]byte, n)
	k, _ := s.file.ReadAt(b, 0)
	return b[:k]
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
		s.file = nil
	}
	s.give()
}
