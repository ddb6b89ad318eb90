package news_test

import (
	"testing"

	"example.org/deref/schemes/news/internal/wildmat"
)

func TestWildmat(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{ // RFC 3977 section 4.4
		{"a*,!*b,*c*", "aaa", true},
		{"a*,!*b,*c*", "abb", false},
		{"a*,!*b,*c*", "ccb", true},
		{"a*,!*b,*c*", "xxx", false},
		{"a*,c*,!*b", "aaa", true},
		{"a*,c*,!*b", "ccb", false},
		{"?a*,??a*,!*b", "baa", true},
		{"?a*,??a*,!*b", "caab", false},
		{"*", "", true},
		{"comp.*", "comp", false},
		{"comp.lang.c++", "comp.lang.c++", true},
		{"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	} {
		if got := wildmat.Match(c.pattern, c.name); got != c.want {
			t.Errorf("%q, %q: got %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}
