package save

import (
	"context"
	"errors"
	"io/fs"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/uri"
)

// A job saves one document to one target.
type job struct {
	ctx          context.Context
	options      *Options
	uri          uri.URI      // the requested one
	client       fetch.Getter // nil if the caller has the document already
	fetchOptions *fetch.Options
	target       target
	part         *staged        // NAME.part, if it is continued
	old          *oldFile       // the file that could not be continued and is replaced by the whole document
	continues    bool           // the document must begin with the file at NAME, or that is reported or refused
	want         *checksum.File // what the document must match; nil for nothing
	checked      *checkedBody   // of the document, nil without want
	result       Result
}

func newJob(ctx context.Context, u uri.URI, o *Options) *job {
	if o == nil {
		o = &Options{}
	}
	if !o.URI.IsZero() {
		u = o.URI
	}
	return &job{ctx: ctx, options: o, uri: u}
}

// write writes d to the target.
func (j *job) write(d *fetch.Document) error {
	j.result.Document = d
	if j.old != nil && !d.NotModified {
		if err := j.checkSource(j.old, d); err != nil {
			return err
		}
		if err := j.checkLength(j.old, d, d.Size); err != nil {
			return err
		}
	}
	if err := j.accept(d, nil); err != nil {
		return err
	}
	if err := j.checkRange(d); err != nil {
		return err
	}
	switch {
	case d.NotModified:
		return j.unchanged()
	case j.target.stream != nil:
		return j.copyToStream(d)
	}
	if err := j.nameFrom(d); err != nil {
		return err
	}
	if j.keeps() {
		return j.unchanged()
	}
	if j.options.View != nil {
		return j.view(d)
	}
	return j.writeBody(d)
}

// keeps reports whether an existing file is kept.
func (j *job) keeps() bool { return j.options.Keep && j.target.old != nil }

// unchanged leaves the file as it is.
func (j *job) unchanged() error {
	j.result.Unchanged = true
	if j.target.name != "" {
		j.result.Path = j.target.file()
	}
	return j.verifyOld()
}

// nameFrom chooses the file name if it depends on the document.
func (j *job) nameFrom(d *fetch.Document) error {
	if j.target.name != "" {
		return nil
	}
	name := ""
	if j.options.NameOf != nil {
		given, err := j.options.NameOf(d)
		if err != nil {
			return err
		}
		name = j.target.dir.clean(given)
	}
	if name == "" && j.options.ServerName {
		name = ServerName(d)
	}
	if name == "" {
		name = NameIn(j.uri, j.options.Charset)
	}
	if name == "" {
		name = nameByType(d)
	}
	return j.setName(name)
}

// checkRange refuses a part that was not requested. Resuming checks the offset itself.
func (j *job) checkRange(d *fetch.Document) error {
	if j.fetchOptions == nil || j.fetchOptions.Range.IsZero() || j.fetchOptions.Op == fetch.Metadata { // there is no document to check
		return nil
	}
	want := j.fetchOptions.Range.From
	if want < 0 {
		if d.Size < 0 {
			return nil
		}
		want = max(0, d.Size+want)
	}
	if d.Offset != want {
		return fetch.Errorf(fetch.ErrRange, "requested bytes from offset %d, got bytes from offset %d", want, d.Offset)
	}
	return nil
}

// keepsAfter reports whether the received part of d is worth keeping after err: its bytes are not at fault, and the rest can be fetched.
func (j *job) keepsAfter(d *fetch.Document, err error) bool {
	return isInterruption(err) && j.continuable(d)
}

// continuable reports whether an incomplete d can be continued later, that is, whether the protocol has ranges.
func (j *job) continuable(d *fetch.Document) bool {
	if d.Offset != 0 && j.result.Resumed == 0 {
		return false
	}
	if j.client == nil {
		return d.Validator.Exact()
	}
	_, err := j.client.Plan(j.uri, j.optionsFor(fetch.Range{From: 1}, fetch.Validator{}))
	return err == nil
}

func isInterruption(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	switch fetch.KindOf(err) {
	case fetch.ErrTruncated, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTransfer, fetch.ErrUnavailable, fetch.ErrDisk, fetch.ErrTLS:
		return true
	}
	return false
}

// perm is the mode of new files before umask. A replaced file keeps its mode.
const perm fs.FileMode = 0o666
