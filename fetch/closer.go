package fetch

import "io"

// NewBody returns a Body that reads from r and calls close when it is closed. Use it where a Document's bytes come from another reader
// than the one that has to be closed, or where closing has to do more.
func NewBody(r io.Reader, close func() error) io.ReadCloser { return &readCloser{r, close} }

type readCloser struct {
	io.Reader
	close func() error
}

func (r *readCloser) Close() error { return r.close() }
