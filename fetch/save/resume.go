package save

import (
	"io"
	"io/fs"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// tailSize is how much is fetched again and compared if no validator shows that the object is unchanged.
const tailSize = smallSize

func (j *job) resumes() bool {
	return (j.options.Resume || j.options.From > 0) && j.client != nil && j.options.View == nil &&
		(j.fetchOptions == nil || j.fetchOptions.Range.IsZero())
}

// optionsFor returns the request's options with another range.
func (j *job) optionsFor(r fetch.Range, same fetch.Validator) *fetch.Options {
	o := j.fetchOptions.Clone()
	o.Range, o.IfSame = r, same
	return o
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
	j.old = old
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

// checkBeginning returns an error if the file at NAME, which must not be replaced by another document, is not its beginning. start is the document
// as far as it is known.
func (j *job) checkBeginning(start io.Reader) error {
	if j.target.replace {
		return nil
	}
	now, err := j.openRegular(j.target.name, os.O_RDONLY)
	if now == nil {
		return err
	}
	defer now.Close()
	j.continues = true
	if _, same := j.compare(now, start); !same {
		return j.differs()
	}
	return nil
}

func (j *job) differs() error {
	return &fetch.Error{Kind: fetch.ErrLocal, Text: j.target.file() + " is not the beginning of the document", Hint: hint.Force, Err: fs.ErrExist}
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
	return j.resumeFrom(old)
}

func (j *job) resumeFrom(old *oldFile) error {
	if !old.copy {
		if err := j.checkBeginning(io.NewSectionReader(old.file, 0, old.size)); err != nil {
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
