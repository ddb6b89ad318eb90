// Package pieces makes an io.Reader of a function that returns one piece of a text after the other, such as a line or a decoded block,
// examines the beginning of another before it is read, and counts bytes.
package pieces

// A Reader reads the pieces that a function returns.
type Reader struct {
	next func() ([]byte, error)
	rest []byte
	err  error
}

// NewReader returns a Reader that calls next when it has nothing left to return. A piece may be empty, and remains valid until the next
// call. It may come with an error, such as io.EOF, which Read returns after the piece. After an error, next is not called again.
func NewReader(next func() ([]byte, error)) *Reader { return &Reader{next: next} }

// Read returns bytes of one piece.
func (r *Reader) Read(p []byte) (int, error) {
	if err := r.Fill(); err != nil {
		return 0, err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Fill calls next until there is something to read. It returns the error that the next Read would return.
func (r *Reader) Fill() error {
	for len(r.rest) == 0 {
		if r.err != nil {
			return r.err
		}
		r.rest, r.err = r.next()
	}
	return nil
}
