package save

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A job is one document on its way into one target.
type job struct {
	ctx     context.Context
	options *Options
	uri     uri.URI      // that was asked for
	client  fetch.Getter // nil where the document is there already
	wish    *fetch.Options
	target  target
	part    *staged // NAME.part, where it is continued
	old     *found  // what the whole document is to replace, although it was to be continued
	result  Result
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

// take writes d to the target.
func (j *job) take(d *fetch.Document) error {
	j.result.Document = d
	if j.old != nil && !d.NotModified {
		if err := j.isForeign(j.old, d); err != nil {
			return err
		}
		if err := j.isShort(j.old, d, d.Size); err != nil {
			return err
		}
	}
	if j.options.Opened != nil {
		if err := j.options.Opened(d); err != nil {
			return err
		}
	}
	if err := j.checkRange(d); err != nil {
		return err
	}
	switch {
	case d.NotModified:
		j.result.Unchanged = true
		if j.target.name != "" {
			j.result.Path = j.target.folder.join(j.target.name)
		}
		return nil
	case j.target.stream != nil:
		return j.pour(d)
	}
	if err := j.nameAfter(d); err != nil {
		return err
	}
	if j.options.View != nil {
		return j.view(d)
	}
	return j.fill(d)
}

// nameAfter settles a name that needs the document.
func (j *job) nameAfter(d *fetch.Document) error {
	if j.target.name != "" {
		return nil
	}
	name := ""
	if j.options.ServerName {
		name = ServerName(d)
	}
	if name == "" {
		name = NameOf(j.uri)
	}
	if name == "" {
		name = nameFor(d)
	}
	return j.nameIt(name)
}

// checkRange refuses a part that was not asked for. File's own resuming looks at the offset itself.
func (j *job) checkRange(d *fetch.Document) error {
	if j.wish == nil || j.wish.Range.IsZero() || j.wish.Op == fetch.Metadata { // without a document there is no part of it
		return nil
	}
	want := j.wish.Range.From
	if want < 0 {
		if d.Size < 0 {
			return nil
		}
		want = max(0, d.Size+want)
	}
	if d.Offset != want {
		return fetch.Errorf(fetch.ErrRange, "octets from %d on were asked for, and those from %d on came", want, d.Offset)
	}
	return nil
}

// fill reads a small document whole before any file is made for it, and moves the rest of a longer one straight into the file.
func (j *job) fill(d *fetch.Document) error {
	buf := j.target.folder.buffer()
	defer j.target.folder.buffers.Put(buf)
	n, err := readSome(d.Body, buf[:])
	switch {
	case err == io.EOF:
		return j.small(d, buf[:n])
	case isSession(err):
		return besides(j.small(d, buf[:n]), err)
	case err != nil:
		return j.broken(d, buf[:n], err)
	}
	s, err := j.stage(d)
	if err != nil {
		return err
	}
	return s.finish(d, 0, buf[:n])
}

// isSession reports whether err is the end of a session's first screen. That is all of a session that is a document, so it is kept; the
// error says that there is more than a document.
func isSession(err error) bool { return errors.Is(err, fetch.ErrInteractive) }

// besides is the error of the end, unless what was kept has one of its own.
func besides(kept, end error) error {
	if kept != nil {
		return kept
	}
	return end
}

// readSome reads until p is full or the end, which it reports as io.EOF also beside octets.
func readSome(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	return n, err
}

// small writes a document that is whole already.
func (j *job) small(d *fetch.Document, p []byte) error {
	if err := j.mayBecome(d, int64(len(p))); err != nil {
		return err
	}
	if j.options.Sum {
		sum := sha256.Sum256(p)
		j.result.SHA256 = hex.EncodeToString(sum[:])
	}
	if j.isPlain(d) && j.target.folder.quick(j.target.name, p) {
		j.result.Path, j.result.Size = j.target.folder.join(j.target.name), int64(len(p))
		j.dropParts(d)
		return nil
	}
	s, err := j.temp()
	if err != nil {
		return err
	}
	if _, err := s.file.Write(p); err != nil {
		return s.abandon(d, diskError(err))
	}
	s.size = int64(len(p))
	return s.commit(d)
}

// isPlain reports whether nothing is wanted of the file but its octets and a name that is free.
func (j *job) isPlain(d *fetch.Document) bool {
	o, t := j.options, &j.target
	return !t.replace && t.old == nil && !o.Sync && !o.Attributes && (!o.Times || d.Modified.IsZero())
}

// broken keeps the beginning of a small document that broke, if it can be continued.
func (j *job) broken(d *fetch.Document, p []byte, cause error) error {
	if len(p) == 0 || j.part != nil || !j.keeps(d, cause) {
		return cause
	}
	s, err := j.newPart(d)
	if s == nil || err != nil {
		return cause
	}
	n, err := s.file.Write(p)
	s.size = int64(n)
	if err != nil && n == 0 {
		s.drop()
		return cause
	}
	return s.abandon(d, cause)
}

// view writes what Options.View makes of d.
func (j *job) view(d *fetch.Document) error {
	s, err := j.temp()
	if err != nil {
		return err
	}
	w := &counter{w: s.file}
	err = j.viewTo(w, d)
	if err != nil && !isSession(err) {
		return s.abandon(d, copyError(err))
	}
	s.size = w.n
	return besides(s.commit(d), err)
}

// viewTo collects what a view writes in small pieces.
func (j *job) viewTo(w io.Writer, d *fetch.Document) error {
	b := &collector{w: w}
	err := j.options.View(b, d)
	if err != nil && !isSession(err) {
		return err
	}
	return besides(b.flush(), err)
}

// pour writes to what is no file. The end of the context, or of the request's time, interrupts a write to a pipe that nobody reads,
// where the system can.
func (j *job) pour(d *fetch.Document) error {
	t := &j.target
	j.result.Path = t.path
	if f, ok := t.stream.(*os.File); ok {
		if !d.Deadline.IsZero() && f.SetWriteDeadline(d.Deadline) == nil {
			defer f.SetWriteDeadline(time.Time{})
		}
		stop := context.AfterFunc(j.ctx, func() { f.SetWriteDeadline(time.Unix(1, 0)) })
		defer stop()
	}
	w, sum := t.stream, sha256.New()
	if j.options.Sum {
		w = io.MultiWriter(w, sum)
	}
	var err error
	if j.options.View != nil {
		c := &counter{w: w}
		err = j.options.View(c, d) // not collected: somebody may be reading along
		j.result.Size = c.n
	} else {
		j.result.Size, err = io.Copy(w, d.Body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && fetch.KindOf(err) == "" {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		return fetch.Errorf(fetch.ErrTimeout, "nobody took what is written in the time that the request has")
	}
	if err == nil && j.options.Sum {
		j.result.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return copyError(err)
}

// keeps reports whether what has come of d is worth keeping after err: the octets were not at fault, and more can follow.
func (j *job) keeps(d *fetch.Document, err error) bool {
	return isInterruption(err) && j.continuable(d)
}

// continuable reports whether octets of d are a beginning that can be continued another time: the protocol has parts.
func (j *job) continuable(d *fetch.Document) bool {
	if d.Offset != 0 && j.result.Resumed == 0 {
		return false
	}
	if j.client == nil {
		return d.Validator.Exact()
	}
	_, err := j.client.Plan(j.uri, j.wishFor(fetch.Range{From: 1}, fetch.Validator{}))
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

// perm is for new files: what the user's mask leaves of it. A file that is replaced keeps what it had.
const perm fs.FileMode = 0o666
