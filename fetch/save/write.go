package save

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// writeBody reads a small document completely before it creates a file. A longer one it copies straight into the file.
func (j *job) writeBody(d *fetch.Document) error {
	buf := j.target.dir.buffer()
	defer j.target.dir.buffers.Put(buf)
	n, err := readSome(d.Body, buf[:])
	switch {
	case err == io.EOF:
		return j.writeSmall(d, buf[:n])
	case isSession(err):
		return cmp.Or(j.writeSmall(d, buf[:n]), err)
	case err != nil:
		return j.keepBeginning(d, buf[:n], err)
	}
	if j.continues {
		if err := j.checkBeginning(bytes.NewReader(buf[:n])); err != nil {
			return err
		}
	}
	s, err := j.stage(d)
	if err != nil {
		return err
	}
	return s.writeRest(d, 0, buf[:n])
}

// isSession reports whether err means that a session continues after its first screen. That screen is the whole document, so it is saved,
// and the caller gets the error, too.
func isSession(err error) bool { return errors.Is(err, fetch.ErrInteractive) }

// readSome reads until p is full or the input ends. It returns io.EOF at the end even if it has read something.
func readSome(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	return n, err
}

// writeSmall writes a document that has been read completely.
func (j *job) writeSmall(d *fetch.Document, p []byte) error {
	if err := j.checkResult(d, int64(len(p))); err != nil {
		return err
	}
	if j.options.Sum {
		sum := sha256.Sum256(p)
		j.result.SHA256 = hex.EncodeToString(sum[:])
	}
	if j.needsOnlyContent() {
		if name := j.target.dir.quickTemp(p, j.timeOf(d)); name != "" {
			return (&staged{job: j, name: name, size: int64(len(p))}).place(d)
		}
	}
	s, err := j.temp()
	if err != nil {
		return err
	}
	if _, err := s.file.Write(p); err != nil {
		return s.abandon(d, DiskError(err))
	}
	s.size = int64(len(p))
	return s.commit(d)
}

// needsOnlyContent reports whether the file needs only its content and time: it is new, and not waited for.
func (j *job) needsOnlyContent() bool {
	return j.target.old == nil && !j.options.Sync
}

// timeOf returns the time that the file gets. It is zero if that is the present.
func (j *job) timeOf(d *fetch.Document) time.Time {
	if !j.options.Times {
		return time.Time{}
	}
	return d.Modified
}

// keepBeginning keeps the beginning of a small document after cause, if it can be continued.
func (j *job) keepBeginning(d *fetch.Document, p []byte, cause error) error {
	if len(p) == 0 || j.part != nil || !j.keepsAfter(d, cause) {
		return cause
	}
	s, err := j.newPart(d)
	if s == nil || err != nil {
		return cause
	}
	n, err := s.file.Write(p)
	s.size = int64(n)
	if err != nil && n == 0 {
		s.remove()
		return cause
	}
	return s.abandon(d, cause)
}

// view writes the output of Options.View.
func (j *job) view(d *fetch.Document) error {
	s, err := j.temp()
	if err != nil {
		return err
	}
	w := &pieces.CountWriter{W: s.file}
	err = j.viewTo(w, d)
	if err != nil && !isSession(err) {
		return s.abandon(d, copyError(err))
	}
	s.size = w.N
	return cmp.Or(s.commit(d), err)
}

// viewTo buffers what a view writes in small pieces.
func (j *job) viewTo(w io.Writer, d *fetch.Document) error {
	b := bufio.NewWriterSize(w, smallSize/2)
	err := j.options.View(b, d)
	if err != nil && !isSession(err) {
		return err
	}
	return cmp.Or(b.Flush(), err)
}

// copyToStream writes to something other than a regular file. The end of the context or of the request's time interrupts a write to a pipe
// that nobody reads, if the system can do that.
func (j *job) copyToStream(d *fetch.Document) error {
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
		c := &pieces.CountWriter{W: w}
		err = j.options.View(c, d) // not buffered: somebody may be reading at the other end
		j.result.Size = c.N
	} else {
		j.result.Size, err = io.Copy(w, d.Body)
	}
	if err == nil {
		err = j.readRest()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && fetch.KindOf(err) == "" {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		return fetch.Errorf(fetch.ErrTimeout, "the reader of the pipe was too slow")
	}
	if err == nil && j.options.Sum {
		j.result.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return copyError(err)
}
