package charset

import (
	"cmp"
	"io"
)

// An Examiner finds the charset of a text that is written to it, as a Reader of the same bytes does. Its memory is bounded in the same way.
type Examiner struct{ t *Reader }

// NewExaminer returns an Examiner for a text of the source.
func (s Source) NewExaminer() *Examiner { return &Examiner{s.NewReader(nil)} }

// Label returns the label of a text that begins with p, UTF8 for ASCII.
func (s Source) Label(p []byte) string {
	x := s.NewExaminer()
	x.Write(p)
	label, _ := x.Charset()
	return cmp.Or(label, UTF8)
}

// Write examines p. It never fails.
func (x *Examiner) Write(p []byte) (int, error) {
	if x.t.text == nil {
		x.t.in.Held = append(x.t.in.Held, p...)
		x.examine()
	}
	return len(p), nil
}

func (x *Examiner) examine() {
	for t := x.t; t.text == nil && t.decide(); {
		if t.safe > 0 {
			t.last = []byte{t.in.Held[t.safe-1]}
			t.in.Held, t.safe = t.in.Held[t.safe:], 0
		}
	}
	if x.t.text != nil {
		x.t.in.Held = nil
	}
}

// Charset returns the charset of the text and how it was found. It returns "" if the text is ASCII. Nothing is written after it.
func (x *Examiner) Charset() (label string, how How) {
	if x.t.in.Err == nil {
		x.t.in.Err = io.EOF
		x.examine()
	}
	return x.t.Charset()
}
