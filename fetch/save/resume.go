package save

import (
	"bytes"
	"io"
	"os"

	"example.org/deref/fetch"
)

// tailSize is how much is fetched again and compared if no validator shows that the object is unchanged.
const tailSize = smallSize

func (j *job) resumes() bool {
	return (j.options.Resume || j.options.From > 0) && j.client != nil && j.options.View == nil &&
		(j.fetchOptions == nil || j.fetchOptions.Range.IsZero())
}

// optionsFor returns the request's options with another range.
func (j *job) optionsFor(r fetch.Range, same fetch.Validator) *fetch.Options {
	var o fetch.Options
	if j.fetchOptions != nil {
		o = *j.fetchOptions
	}
	o.Range, o.IfSame = r, same
	return &o
}

// run fetches and saves the document once the target is known.
func (j *job) run() error {
	if !j.resumes() || j.target.stream != nil {
		return j.fetchWhole(nil)
	}
	if j.target.name == "" { // it depends on the document
		d, err := j.fetch(j.fetchOptions)
		if err == nil {
			err = j.nameFrom(d)
		}
		if err != nil {
			return err
		}
		old, err := j.findOld()
		if old == nil && err == nil {
			return j.writeAndClose(d)
		}
		d.Body.Close()
		return j.resume(old, err)
	}
	return j.resume(j.findOld())
}

// fetch dereferences the URI. A document returned with an error is a referral that may not be followed, not the object.
func (j *job) fetch(o *fetch.Options) (*fetch.Document, error) {
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

func (j *job) writeAndClose(d *fetch.Document) error {
	defer d.Body.Close()
	return j.write(d)
}

// fetchWhole fetches the whole document. old is the file that could not be continued, or nil.
func (j *job) fetchWhole(old *oldFile) error {
	if j.old = old; old != nil {
		if err := j.mayReplace(); err != nil {
			return err
		}
	}
	options := j.fetchOptions
	if n := j.options.From; n > 0 && old == nil && j.resumes() { // nothing to continue: fetch only that part, as curl does
		options = j.optionsFor(fetch.Range{From: n}, fetch.Validator{})
		j.fetchOptions = options
	}
	d, err := j.fetch(options)
	if err != nil {
		return err
	}
	return j.writeAndClose(d)
}

// mayReplace refuses to replace an existing file with another document, unless that is allowed.
func (j *job) mayReplace() error {
	t := &j.target
	if t.replace || j.options.Number || j.options.Equal {
		return nil // the rename checks again
	}
	fi, err := t.dir.lookup(t.name)
	if err == nil && fi != nil {
		return existsError(t.dir.join(t.name))
	}
	return err
}

// replaced reports whether the contents of the old file at NAME are lost because the new document neither continues old nor begins with its
// contents. It does not compare large files: they were compared before, or the server does not support ranges.
func (j *job) replaced(old *oldFile) bool {
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

// resume continues old if the object is unchanged, and fetches the whole document otherwise.
func (j *job) resume(old *oldFile, err error) error {
	defer j.release()
	if err != nil {
		return err
	}
	if old == nil {
		return j.fetchWhole(nil)
	}
	defer old.close()
	if err := j.resumeFrom(old); err != nil {
		return err
	}
	j.result.Restarted = j.replaced(old)
	return nil
}

func (j *job) resumeFrom(old *oldFile) error {
	if !old.copy {
		if err := j.mayReplace(); err != nil {
			return err
		}
	}
	// Report a protocol without ranges now. Every document that is not empty has a first byte. An end that the URI contains (wais) is not
	// a reason to fail: the file may be complete, and its last bytes are compared as usual.
	if _, err := j.client.Plan(j.uri, j.optionsFor(fetch.Range{To: 1}, fetch.Validator{})); fetch.KindOf(err) == fetch.ErrRange {
		return err
	}
	again := j.overlap(old)
	if old.size == again {
		if old.copy && j.mayReplace() != nil {
			return j.compare(old)
		}
		return j.fetchWhole(old)
	}
	options := j.optionsFor(fetch.Range{From: old.size - again}, old.valid)
	options.Have = old.file
	d, err := j.fetch(options)
	switch fetch.KindOf(err) {
	case fetch.ErrRange, fetch.ErrChanged:
		return j.fetchWhole(old)
	}
	if err != nil {
		return err
	}
	return j.continueWith(old, d, again)
}

// compare fetches a small document completely. If the file has exactly that content, it is complete; otherwise it is not replaced.
func (j *job) compare(old *oldFile) error {
	d, err := j.fetch(j.optionsFor(fetch.Range{}, fetch.Validator{}))
	if err != nil {
		return err
	}
	defer d.Body.Close()
	j.result.Document = d
	if err := j.checkSource(old, d); err != nil {
		return err
	}
	if err := j.verify(d, nil); err != nil {
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
	j.result.Unchanged, j.result.Path, j.result.Size, j.result.Resumed = true, j.target.dir.join(j.target.name), old.size, old.size
	return j.sumOld(old)
}
