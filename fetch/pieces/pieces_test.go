package pieces

import (
	"errors"
	"io"
	"strings"
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

func TestAhead(t *testing.T) {
	cut := errors.New("cut")
	for _, tt := range []struct {
		more []int  // arguments of More
		held string // after them
		read string
		err  error
	}{
		{nil, "", "abcdef", nil},
		{[]int{2}, "ab", "abcdef", nil},
		{[]int{2, 0, 1}, "abc", "abcdef", nil},
		{[]int{9}, "abcdef", "abcdef", nil},
		{[]int{9, 9}, "abcdef", "abcdef", cut},
	} {
		a := &Ahead{Rest: strings.NewReader("abcdef")}
		if tt.err != nil {
			a.Rest = io.MultiReader(a.Rest, iotest.ErrReader(tt.err))
		}
		for _, n := range tt.more {
			before := len(a.Held)
			if more := a.More(n); more != (len(a.Held) > before) || len(a.Held) > before+n {
				t.Errorf("More(%d): got %t and %d bytes after %d", n, more, len(a.Held), before)
			}
		}
		if string(a.Held) != tt.held || a.Err != tt.err {
			t.Errorf("%v: got %q, %v, want %q, %v", tt.more, a.Held, a.Err, tt.held, tt.err)
		}
		if b, err := io.ReadAll(a); string(b) != tt.read || err != tt.err {
			t.Errorf("%v: got %q, %v, want %q, %v", tt.more, b, err, tt.read, tt.err)
		}
		if a.More(1) || a.Err == nil {
			t.Errorf("%v: got more than everything", tt.more)
		}
	}
	if err := iotest.TestReader(&Ahead{Rest: strings.NewReader("cd"), Held: []byte("ab")}, []byte("abcd")); err != nil {
		t.Errorf("got %v, want a reader of abcd", err)
	}
}

func TestFillAndWriteTo(t *testing.T) {
	cut := errors.New("cut")
	for _, tt := range []struct {
		fill int
		held string
		err  error
	}{{0, "", nil}, {2, "ab", nil}, {6, "abcdef", nil}, {9, "abcdef", nil}, {3, "abc", cut}, {9, "abcdef", cut}} {
		in := iotest.OneByteReader(strings.NewReader("abcdef"))
		if tt.err != nil {
			in = io.MultiReader(in, iotest.ErrReader(tt.err))
		}
		a := &Ahead{Rest: in}
		if a.Fill(tt.fill); string(a.Held) != tt.held {
			t.Errorf("Fill(%d): got %q, want %q", tt.fill, a.Held, tt.held)
		}
		var out strings.Builder
		if n, err := a.WriteTo(&out); out.String() != "abcdef" || n != 6 || err != tt.err {
			t.Errorf("Fill(%d): got %q, %d, %v, want all and %v", tt.fill, out.String(), n, err, tt.err)
		}
	}
}
