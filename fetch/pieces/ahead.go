package pieces

import (
	"bytes"
	"io"
	"slices"
)

// An Ahead is a reader whose beginning can be examined before it is read: Read returns what More has read from Rest, and then the rest.
type Ahead struct {
	Rest io.Reader
	Held []byte // what Read returns first
	Err  error  // of Rest, which is not read again after it; Read returns it after Held
}

// More reads once from Rest, at most n bytes, and appends them to Held. It reports whether there are any.
func (a *Ahead) More(n int) bool {
	if a.Err != nil || n <= 0 {
		return false
	}
	a.Held = slices.Grow(a.Held, n)
	end := len(a.Held)
	n, a.Err = a.Rest.Read(a.Held[end : end+n])
	a.Held = a.Held[:end+n]
	return n > 0
}

// Fill reads from Rest until Held has n bytes, or there are no more.
func (a *Ahead) Fill(n int) { a.Until(n) }

// Until reads from Rest until Held contains one of the marks or has n bytes, or there are no more.
func (a *Ahead) Until(n int, marks ...string) {
	has := func(mark string) bool { return bytes.Contains(a.Held, []byte(mark)) }
	for len(a.Held) < n && a.Err == nil && !slices.ContainsFunc(marks, has) {
		a.More(min(n-len(a.Held), 4<<10))
	}
}

// Read returns bytes of Held, or if that is empty, of Rest.
func (a *Ahead) Read(p []byte) (int, error) {
	if len(a.Held) > 0 {
		n := copy(p, a.Held)
		a.Held = a.Held[n:]
		return n, nil
	}
	if a.Err != nil {
		return 0, a.Err
	}
	return a.Rest.Read(p)
}

// WriteTo writes Held and then Rest, by its own WriteTo if it has one.
func (a *Ahead) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(a.Held)
	if a.Held = a.Held[n:]; err == nil {
		err = a.Err
	}
	if err == io.EOF {
		return int64(n), nil
	}
	if err != nil {
		return int64(n), err
	}
	more, err := io.Copy(w, a.Rest)
	return int64(n) + more, err
}
