package pieces

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

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
