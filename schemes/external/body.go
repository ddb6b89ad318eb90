package external

import (
	"io"

	"example.org/deref/fetch"
)

// body is the document. It is complete only if the exit status is 0 and the size is the announced one, if any.
type body struct {
	*process
	want, got int64
	err       error
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.out.Read(p)
	b.got += int64(n)
	switch {
	case b.want >= 0 && b.got > b.want:
		b.err = fetch.Errorf(fetch.ErrProtocol, "the document is longer than the %d bytes that the program announced", b.want)
	case err != nil:
		b.err = b.finish(err)
	}
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// finish returns the error that ends the document, io.EOF if it is complete.
func (b *body) finish(err error) error {
	status := b.end(err != io.EOF)
	switch {
	case status != nil:
		return b.explain(b.failed(fetch.ErrTransfer))
	case err != io.EOF:
		return fetch.Errorf(fetch.ErrTransfer, "cannot read the program's output: %w", err)
	case b.want >= 0 && b.got < b.want:
		return fetch.Errorf(fetch.ErrTruncated, "got %d of %d bytes from the program", b.got, b.want)
	}
	return io.EOF
}

// Close ends the program.
func (b *body) Close() error {
	b.end(true)
	return nil
}
