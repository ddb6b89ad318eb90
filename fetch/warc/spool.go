package warc

import (
	"bytes"
	"io"
	"os"

	"example.org/deref/fetch/internal/spill"
)

// inMemory is how much of a block is held in memory until its length and digests are known.
const inMemory = 512 << 10

// A spool holds a block until it is complete: in memory, and beyond inMemory in a file that has already been removed from its directory, so
// that nothing is left of it whatever happens.
type spool struct {
	dir  string
	mem  []byte
	file *spill.File
	size int64
	err  error // the first write error
}

func (s *spool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.file == nil && len(s.mem)+len(p) <= inMemory {
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
	s.size += int64(n)
	s.err = err
	return n, err
}

// spill moves the block into a file.
func (s *spool) spill() (err error) {
	if s.file, err = spill.Create(s.dir); err != nil {
		return err
	}
	_, err = s.file.Write(s.mem)
	s.mem = nil
	return err
}

// from returns a reader of the bytes from offset on.
func (s *spool) from(offset int64) io.Reader { return s.section(offset, s.size) }

// section returns a reader of the bytes [from,to).
func (s *spool) section(from, to int64) io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.mem[from:to])
	}
	return &fileSection{io.NewSectionReader(s.file, from, to-from), s.file.File}
}

// A fileSection is copied into another file by the system, if the system can do that.
type fileSection struct {
	*io.SectionReader
	file *os.File
}

func (s *fileSection) WriteTo(w io.Writer) (int64, error) {
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

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	return bytes.NewReader(s.mem).ReadAt(p, at)
}

// bytes returns the bytes [from,to). They must not be changed.
func (s *spool) bytes(from, to int64) []byte {
	if s.file == nil {
		return s.mem[from:to]
	}
	b := make([]byte, to-from)
	n, _ := s.file.ReadAt(b, from)
	return b[:n]
}

// sample returns some bytes from the middle of those after offset. Compressed formats often have a header that is not compressed.
func (s *spool) sample(offset int64) []byte {
	n := min(4<<10, s.size-offset)
	offset += (s.size - offset - n) / 2
	return s.bytes(offset, offset+n)
}

// truncate forgets the bytes from size on.
func (s *spool) truncate(size int64) {
	if s.size = size; s.file == nil {
		s.mem = s.mem[:size]
	}
}

// overwrite replaces the first bytes.
func (s *spool) overwrite(p []byte) {
	if s.file == nil {
		copy(s.mem, p)
		return
	}
	if bytes.Equal(p, s.bytes(0, int64(len(p)))) {
		return
	}
	if _, err := s.file.WriteAt(p, 0); err != nil && s.err == nil {
		s.err = err
	}
}

func (s *spool) close() {
	s.file.Close()
	s.file = nil
	s.mem = nil
}
