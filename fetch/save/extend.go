package save

import (
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
)

// release closes a claimed part that is left unchanged. If NAME turned out to be complete, it removes an empty part, which a killed process has left.
func (j *job) release() {
	switch s := j.part; {
	case s == nil:
	case s.size == 0 && j.result.Unchanged:
		s.remove()
	default:
		lock.Close(s.file)
	}
	j.part = nil
}

// overlap returns how many bytes are fetched again for comparison. A complete part needs them too, since servers have nothing to send for a
// range after the last byte.
func (j *job) overlap(old *oldFile) int64 {
	if !old.valid.Exact() {
		old.valid = fetch.Validator{}
	} else if old.valid.Size <= 0 || old.size < old.valid.Size {
		return 0
	}
	return min(old.size, tailSize)
}

// continueWith appends d, which should start again bytes before the end of old.
func (j *job) continueWith(old *oldFile, d *fetch.Document, again int64) error {
	defer d.Body.Close()
	from := old.size - again
	if d.Offset == 0 {
		j.old = old
		return j.write(d)
	}
	if err := j.checkSource(old, d); err != nil {
		j.result.Document = d
		return err
	}
	same := d.Offset == from && (d.Size < 0 || d.Size >= old.size) && consistent(old.valid, d.Validator)
	if same && again > 0 {
		var err error
		if same, err = j.sameTail(old, d, from, again); err != nil {
			return j.interrupted(old, d, err)
		}
	}
	if !same {
		d.Body.Close()
		if d.Offset == from && old.copy && !j.target.replace {
			return j.differs()
		}
		return j.fetchWhole(old)
	}
	j.result.Document = d
	if err := j.accept(d, old); err != nil {
		return err
	}
	return j.extend(old, d)
}

// interrupted returns an error that occurred before anything was appended. The old file stays.
func (j *job) interrupted(old *oldFile, d *fetch.Document, err error) error {
	j.result.Document = d
	if !old.copy {
		j.keptPart(old.size)
	}
	return err
}

// extend appends the rest of the document to old.
func (j *job) extend(old *oldFile, d *fetch.Document) error {
	j.result.Resumed = old.size
	if old.copy {
		return j.extendNamed(old, d)
	}
	s := j.part
	if err := s.file.Truncate(old.size); err != nil { // Options.From may be less than its size
		return DiskError(err)
	}
	if _, err := s.file.Seek(old.size, io.SeekStart); err != nil {
		return DiskError(err)
	}
	if d.Validator.Exact() && d.Validator != old.valid {
		if err := s.writeState(d); err != nil {
			return err
		}
	}
	return s.writeRest(d, old.size, nil)
}

// extendNamed appends to a copy of NAME, unless there is nothing to append.
func (j *job) extendNamed(old *oldFile, d *fetch.Document) error {
	f := j.target.dir
	buf := f.buffer()
	defer f.buffers.Put(buf)
	n, err := readSome(d.Body, buf[:])
	if n == 0 && err == io.EOF && j.options.From == 0 {
		j.result.Unchanged, j.result.Path, j.result.Size = true, f.join(j.target.name), old.size
		return j.sumOld(old)
	}
	if err != nil && err != io.EOF && n == 0 && damageOf(err) == nil {
		return err
	}
	s, serr := j.stage(d)
	if serr != nil {
		return serr
	}
	if _, err := old.file.Seek(0, io.SeekStart); err != nil {
		return s.abandon(d, LocalError(err))
	}
	if s.size, err = io.CopyN(s.file, old.file, old.size); err != nil {
		return s.abandon(d, DiskError(err))
	}
	j.target.replace, j.continues = true, false // compared already
	return s.writeRest(d, old.size, buf[:n])
}
