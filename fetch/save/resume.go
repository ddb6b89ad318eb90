package save

import (
	"bytes"
	"io"
	"os"

	"example.org/deref/fetch"
)

// tailSize is how much is fetched again and compared where no validator says that the object is the same.
const tailSize = smallSize

func (j *job) resumes() bool {
	return (j.options.Resume || j.options.From > 0) && j.client != nil && j.options.View == nil && (j.wish == nil || j.wish.Range.IsZero())
}

// wishFor returns the request's options with another range.
func (j *job) wishFor(r fetch.Range, same fetch.Validator) *fetch.Options {
	var o fetch.Options
	if j.wish != nil {
		o = *j.wish
	}
	o.Range, o.IfSame = r, same
	return &o
}

// get is File once the target is known.
func (j *job) get() error {
	if !j.resumes() || j.target.stream != nil {
		return j.whole(nil)
	}
	if j.target.name == "" { // only the document can tell it
		d, err := j.ask(j.wish)
		if err == nil {
			err = j.nameAfter(d)
		}
		if err != nil {
			return err
		}
		old, err := j.find()
		if old == nil && err == nil {
			return j.takeAll(d)
		}
		d.Body.Close()
		return j.resume(old, err)
	}
	return j.resume(j.find())
}

// ask dereferences. A document that comes with an error is a referral that may not be followed: no object.
func (j *job) ask(o *fetch.Options) (*fetch.Document, error) {
	d, err := j.client.Get(j.ctx, j.uri, o)
	if err != nil {
		if d != nil {
			j.result.Document = d
			d.Body.Close()
		}
		return nil, err
	}
	return d, nil
}

func (j *job) takeAll(d *fetch.Document) error {
	defer d.Body.Close()
	return j.take(d)
}

// whole fetches all of it. old is what could not be continued.
func (j *job) whole(old *found) error {
	if j.old = old; old != nil {
		if err := j.mayReplace(); err != nil {
			return err
		}
	}
	wish := j.wish
	if n := j.options.From; n > 0 && old == nil && j.resumes() { // nothing to continue: like curl, that part alone
		wish = j.wishFor(fetch.Range{From: n}, fetch.Validator{})
		j.wish = wish
	}
	d, err := j.ask(wish)
	if err != nil {
		return err
	}
	return j.takeAll(d)
}

// mayReplace refuses to put another document in the place of one that is there, unless that was allowed.
func (j *job) mayReplace() error {
	t := &j.target
	if t.replace || j.options.Number || j.options.Equal {
		return nil // the rename asks again
	}
	fi, err := t.folder.lookup(t.name)
	if err == nil && fi != nil {
		return existsError(t.folder.join(t.name))
	}
	return err
}

// replaced reports whether the octets of old, which was NAME, are gone: the document that took its place was not continued from them, and
// does not begin with them. Large ones were compared before, or the server sends no parts.
func (j *job) replaced(old *found) bool {
	if j.old != old || !old.copy || j.result.Unchanged || j.result.Resumed > 0 {
		return false
	}
	if old.size > tailSize {
		return true
	}
	now, err := j.openRegular(j.target.name, os.O_RDONLY)
	if err != nil {
		return true
	}
	defer now.Close()
	was, is := make([]byte, old.size), make([]byte, old.size)
	_, err = old.file.ReadAt(was, 0)
	_, nerr := now.ReadAt(is, 0)
	return err != nil || nerr != nil || !bytes.Equal(was, is)
}

// resume continues old where the object is still the same, and fetches the whole where it is not.
func (j *job) resume(old *found, err error) error {
	defer j.release()
	if err != nil {
		return err
	}
	if old == nil {
		return j.whole(nil)
	}
	defer old.close()
	if err := j.resumeFrom(old); err != nil {
		return err
	}
	j.result.Afresh = j.replaced(old)
	return nil
}

func (j *job) resumeFrom(old *found) error {
	if !old.copy {
		if err := j.mayReplace(); err != nil {
			return err
		}
	}
	// A protocol without parts is reported, not passed over. Every document that is not empty has a first octet. An end that is known from
	// the URI (wais) is no reason to fail: the file may be whole, and its last octets are compared as those of any other.
	if _, err := j.client.Plan(j.uri, j.wishFor(fetch.Range{To: 1}, fetch.Validator{})); fetch.KindOf(err) == fetch.ErrRange {
		return err
	}
	again := j.overlap(old)
	if old.size == again {
		if old.copy && j.mayReplace() != nil {
			return j.compare(old)
		}
		return j.whole(old)
	}
	wish := j.wishFor(fetch.Range{From: old.size - again}, old.valid)
	wish.Have = old.file
	d, err := j.ask(wish)
	switch fetch.KindOf(err) {
	case fetch.ErrRange, fetch.ErrChanged:
		return j.whole(old)
	}
	if err != nil {
		return err
	}
	return j.continueWith(old, d, again)
}

// compare fetches the whole of what is small. A file that holds exactly that is whole; any other is not replaced.
func (j *job) compare(old *found) error {
	d, err := j.ask(j.wishFor(fetch.Range{}, fetch.Validator{}))
	if err != nil {
		return err
	}
	defer d.Body.Close()
	j.result.Document = d
	if err := j.isForeign(old, d); err != nil {
		return err
	}
	same, err := j.sameTail(old, d, 0, old.size)
	if err != nil {
		return err
	}
	var more [1]byte
	n, err := readSome(d.Body, more[:])
	switch {
	case !same || n > 0:
		return j.mayReplace()
	case err != io.EOF:
		return err
	}
	if j.options.Opened != nil {
		if err := j.options.Opened(d); err != nil {
			return err
		}
	}
	j.result.Unchanged, j.result.Path, j.result.Size, j.result.Resumed = true, j.target.folder.join(j.target.name), old.size, old.size
	return j.sumOf(old)
}

// release lets go of a part that was claimed and is left as it is.
func (j *job) release() {
	if j.part != nil {
		j.part.file.Close()
		j.part = nil
	}
}

// overlap returns how many octets are fetched again to be compared. A part that is whole gets them too, since no server has
// anything to say about the octets after the last.
func (j *job) overlap(old *found) int64 {
	if !old.valid.Exact() {
		old.valid = fetch.Validator{}
	} else if old.valid.Size <= 0 || old.size < old.valid.Size {
		return 0
	}
	return min(old.size, tailSize)
}

// continueWith appends d, which should start again octets before the end of old.
func (j *job) continueWith(old *found, d *fetch.Document, again int64) error {
	defer d.Body.Close()
	from := old.size - again
	if d.Offset == 0 {
		j.old = old
		if err := j.mayReplace(); err != nil {
			return err
		}
		return j.take(d)
	}
	if err := j.isForeign(old, d); err != nil {
		j.result.Document = d
		return err
	}
	same := d.Offset == from && (d.Size < 0 || d.Size >= old.size) && agree(old.valid, d.Validator)
	if same && again > 0 {
		var err error
		if same, err = j.sameTail(old, d, from, again); err != nil {
			return j.interrupted(old, d, err)
		}
	}
	if !same {
		d.Body.Close()
		return j.whole(old)
	}
	j.result.Document = d
	if j.options.Opened != nil {
		if err := j.options.Opened(d); err != nil {
			return err
		}
	}
	return j.extend(old, d)
}

// interrupted is an error before anything could be added: what was there stays.
func (j *job) interrupted(old *found, d *fetch.Document, err error) error {
	j.result.Document = d
	if !old.copy {
		j.result.Part, j.result.Size = j.target.folder.join(j.part.name), old.size
	}
	return err
}

// extend writes what follows old.
func (j *job) extend(old *found, d *fetch.Document) error {
	j.result.Resumed = old.size
	if old.copy {
		return j.extendCopy(old, d)
	}
	s := j.part
	if err := s.file.Truncate(old.size); err != nil { // Options.From may be less than there is
		return diskError(err)
	}
	if _, err := s.file.Seek(old.size, io.SeekStart); err != nil {
		return diskError(err)
	}
	if d.Validator.Exact() && d.Validator != old.valid {
		if err := s.note(d); err != nil {
			return err
		}
	}
	return s.finish(d, old.size, nil)
}

// extendCopy adds to a copy of NAME, unless there is nothing to add.
func (j *job) extendCopy(old *found, d *fetch.Document) error {
	f := j.target.folder
	buf := f.buffer()
	defer f.buffers.Put(buf)
	n, err := readSome(d.Body, buf[:])
	if n == 0 && err == io.EOF && j.options.From == 0 {
		j.result.Unchanged, j.result.Path, j.result.Size = true, f.join(j.target.name), old.size
		return j.sumOf(old)
	}
	if err != nil && err != io.EOF && n == 0 {
		return err
	}
	s, serr := j.stage(d)
	if serr != nil {
		return serr
	}
	if _, err := old.file.Seek(0, io.SeekStart); err != nil {
		return s.abandon(d, localError(err))
	}
	if s.size, err = io.CopyN(s.file, old.file, old.size); err != nil {
		return s.abandon(d, diskError(err))
	}
	j.target.replace = true // by a longer one of the same
	return s.finish(d, old.size, buf[:n])
}
