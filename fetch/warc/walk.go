package warc

import (
	"errors"
	"io"

	"example.org/deref/fetch/save"
)

// A walk calls its functions, those that are not nil, for all records of an archive, in order.
type walk struct {
	visit   func(*Record) error           // reads as much of the block as it needs; the record may turn out to be incomplete
	settle  func(*Record) error           // the record is complete, and its Length is known
	damaged func(offset int64, err error) // of an incomplete record, or of data in its place
}

// walk opens an archive and reads it to its end with the functions that with returns.
func (f File) walk(with func(*Reader) *walk) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	r := NewReader(in)
	defer r.Close()
	return r.walk(with(r))
}

// walk reads the archive to its end. Damage does not stop it. The error is that of a function, or of reading the file.
func (r *Reader) walk(w *walk) error {
	var last *Record // complete in itself, but counted only if a valid record or the end of the file follows
	for {
		rec, err := r.Next()
		next, whole := r.boundary(last, err)
		if last != nil && whole && w.settle != nil {
			last.Length = next - last.Offset
			if err := w.settle(last); err != nil {
				return err
			}
		}
		last = nil
		isCut := err == io.ErrUnexpectedEOF
		if (isCut || isFormat(err)) && w.damaged != nil {
			w.damaged(r.bad, err)
		}
		switch {
		case err == io.EOF, isCut:
			return nil
		case isFormat(err):
			continue
		case err == nil && w.visit != nil:
			err = w.visit(rec)
		}
		switch {
		case err == nil:
			last = rec
		case err != io.ErrUnexpectedEOF && !isFormat(err): // Next reports these again
			return save.LocalError(err)
		}
	}
}

// boundary returns where the last record ends, and whether it is complete. err is what Next has returned after it.
func (r *Reader) boundary(last *Record, err error) (end int64, whole bool) {
	switch {
	case err == nil:
		return r.from, true
	case err == io.EOF && r.in.plain && r.ends != 2 && !r.isARC: // the process was killed within the line ends
		if last != nil {
			last.unended = true
		}
		return r.within(), true
	case err == io.EOF && r.in.plain:
		return r.within(), true
	case err == io.EOF:
		return r.in.offset(), true
	}
	return r.bad, r.apart && last != nil && r.bad > last.Offset
}

func isFormat(err error) bool {
	_, is := errors.AsType[*FormatError](err)
	return is
}
