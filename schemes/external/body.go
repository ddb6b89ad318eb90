package external

import (
	"io"

	"example.org/deref/fetch"
)

// body is the document: whole only if the program says so by its exit status, and by its size if it has named one.
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
		b.err = fetch.Errorf(fetch.ErrProtocol, "the program hands over more than the %d octets it has named", b.want)
	case err != nil:
		b.err = b.finish(err)
	}
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// finish says how the document ended.
func (b *body) finish(err error) error {
	status := b.end(err != io.EOF)
	switch {
	case status != nil:
		return b.explain(b.failed(fetch.ErrTransfer))
	case err != io.EOF:
		return fetch.Errorf(fetch.ErrTransfer, "the program: %w", err)
	case b.want >= 0 && b.got < b.want:
		return fetch.Errorf(fetch.ErrTruncated, "the program has named %d octets and handed over %d", b.want, b.got)
	}
	return io.EOF
}

// Close ends the program.
func (b *body) Close() error {
	b.end(true)
	return nil
}
