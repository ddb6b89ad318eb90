package pieces

import (
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// script returns a function that returns the pieces, the last one with err, and counts its calls.
func script(calls *int, err error, list ...string) func() ([]byte, error) {
	return func() ([]byte, error) {
		piece := list[*calls]
		if *calls++; *calls == len(list) {
			return []byte(piece), err
		}
		return []byte(piece), nil
	}
}

func TestReader(t *testing.T) {
	calls := 0
	if err := iotest.TestReader(NewReader(script(&calls, io.EOF, "", "ab", "", "c")), []byte("abc")); err != nil {
		t.Errorf("got %v, want a reader of abc", err)
	}
}

func TestErrorAfterTheLastPiece(t *testing.T) {
	calls, cut := 0, errors.New("cut")
	r := NewReader(script(&calls, cut, "a", "b"))
	if b, err := io.ReadAll(r); string(b) != "ab" || err != cut {
		t.Errorf("got %q, %v, want ab and the error of the last piece", b, err)
	}
	if _, err := r.Read(make([]byte, 1)); err != cut || calls != 2 {
		t.Errorf("got %v after %d calls, want the same error and no further call after 2", err, calls)
	}
}

func TestFill(t *testing.T) {
	calls := 0
	r := NewReader(script(&calls, io.EOF, "", "a"))
	for range 2 {
		if err := r.Fill(); err != nil || calls != 2 {
			t.Errorf("got %v after %d calls, want nil after 2", err, calls)
		}
	}
	if b, err := io.ReadAll(r); string(b) != "a" || err != nil {
		t.Errorf("got %q, %v, want a", b, err)
	}
	if err := r.Fill(); err != io.EOF {
		t.Errorf("got %v, want EOF", err)
	}
}
