package schemetest_test

import (
	"strings"
	"testing"

	"example.org/deref/schemes/internal/urifield"
)

func TestURIFieldOptTellsAbsentFromVoid(t *testing.T) {
	if urifield.Opt("", false) != nil {
		t.Error("absent: got a pointer, want nil")
	}
	if p := urifield.Opt("", true); p == nil || *p != "" {
		t.Errorf("empty: got %v, want a pointer to \"\"", p)
	}
}

func TestURIFieldMapLeavesAbsentFieldsAlone(t *testing.T) {
	s, absent := "a", (*string)(nil)
	urifield.Map(strings.ToUpper, &s, nil)
	urifield.MapOpt(strings.ToUpper, &absent)
	if s != "A" || absent != nil {
		t.Errorf("got %q, %v, want A, nil", s, absent)
	}
	shared := "b"
	p := &shared
	urifield.MapOpt(strings.ToUpper, &p)
	if *p != "B" || shared != "b" {
		t.Errorf("got %q, old value %q, want B, b", *p, shared)
	}
	if got := urifield.MapAll(strings.ToUpper, []string(nil)); got == nil {
		t.Error("got nil, want an empty list")
	}
}

func TestURIFieldDigits(t *testing.T) {
	for _, c := range []struct {
		in string
		n  int
		ok bool
	}{{"0", 0, true}, {"042", 42, true}, {"999999999", 999999999, true}, {"1000000000", 0, false}, {"", 0, false}, {"-1", 0, false},
		{"1a", 0, false}} {
		if n, ok := urifield.Digits(c.in); n != c.n || ok != c.ok {
			t.Errorf("Digits(%q) = %d, %v, want %d, %v", c.in, n, ok, c.n, c.ok)
		}
	}
}
