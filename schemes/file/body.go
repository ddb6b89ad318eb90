package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/deref/fetch"
)

// A body reads a file, or a range of it. If the file grows meanwhile, the body still ends where the file ended at first. If it shrinks, the
// body is truncated.
type body struct {
	ctx  context.Context
	f    *os.File
	left int64 // bytes to read; -1 means up to the end, wherever that is
	// unsized means that the file may end before, as those of /proc.
	unsized bool
}

// seek seeks to the range of d that o wants, or to the start if the caller's part is from another state of the file.
func (b *body) seek(d *fetch.Document, o *fetch.Options) error {
	r := o.Range
	if !o.IfSame.IsZero() && !o.IfSame.Same(d.Validator) {
		r = fetch.Range{}
	}
	if d.Size < 0 {
		if r.To > 0 {
			b.left = max(0, r.To-r.From)
		}
		d.Offset, b.unsized = r.From, true
		return b.skip(r.From)
	}
	from, to, err := r.Of(d.Size)
	if err != nil {
		return err
	}
	d.Offset, b.left = from, to-from
	return b.skip(from)
}

func (b *body) skip(n int64) error {
	if n == 0 {
		return nil
	}
	if _, err := b.f.Seek(n, io.SeekStart); err != nil {
		return fetch.Errorf(fetch.ErrRange, "%w", err)
	}
	return nil
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.left > 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.f.Read(p)
	return n, b.advance(int64(n), err)
}

// WritePiece lets the system copy if it can (copy_file_range, sendfile).
func (b *body) WritePiece(w io.Writer, most int64) (int64, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left >= 0 {
		most = min(most, b.left)
	}
	if most == 0 {
		return 0, io.EOF
	}
	n, err := io.Copy(w, io.LimitReader(b.f, most))
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Path != b.f.Name() || err != nil && !ok {
		return n, err // an error of w
	}
	if err == nil && n < most {
		err = io.EOF
	}
	return n, b.advance(n, err)
}

// advance counts n bytes, and returns the body's error for err.
func (b *body) advance(n int64, err error) error {
	if b.left > 0 {
		b.left -= n
	}
	switch {
	case err == io.EOF && b.left > 0 && !b.unsized:
		return fetch.Errorf(fetch.ErrTruncated, "the file became shorter by %d bytes while it was read", b.left)
	case err == nil && b.left == 0, err == io.EOF:
		return io.EOF
	case err != nil:
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return nil
}

func (b *body) Close() error { return b.f.Close() }

var _ fetch.PieceWriter = (*body)(nil)
