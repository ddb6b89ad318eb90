package warc

import (
	"errors"
	"io"

	"example.org/deref/fetch"
)

// A walk calls its functions for all records of an archive, in order.
type walk struct {
	visit   func(*Record) error                 // reads as much of the block as it needs; the record may turn out to be incomplete
	settle  func(*Record) error                 // the record is complete, and its Length is known
	damaged func(offset int64, err error) error // of an incomplete record, or of data in its place
}

// walk reads the archive to its end. Damage does not stop it. The error is that of a function, or of reading the file.
func (r *Reader) walk(w *walk) error {
	var last *Record // complete in itself, but counted only if a valid record or the end of the file follows
	for {
		rec, err := r.Next()
		next, whole := r.boundary(last, err)
		if last != nil && whole {
			last.Length = next - last.Offset
			if err := w.settle(last); err != nil {
				return err
			}
		}
		last = nil
		switch isDamage := err == io.ErrUnexpectedEOF || isFormat(err); {
		case err == io.EOF:
			return nil
		case isDamage:
			if derr := w.damaged(r.bad, err); derr != nil || err == io.ErrUnexpectedEOF {
				return derr
			}
			continue
		case err != nil:
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		switch err := w.visit(rec); {
		case err == io.ErrUnexpectedEOF, isFormat(err): // Next reports it again
		case err != nil:
			return err
		default:
			last = rec
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
