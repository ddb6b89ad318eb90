package reading

import (
	"strings"
	"testing"
)

func TestOptTellsAbsentFromVoid(t *testing.T) {
	if Opt("", false) != nil {
		t.Error("absent is not nil")
	}
	if p := Opt("", true); p == nil || *p != "" {
		t.Error("void is not there")
	}
}

func TestMapLeavesAbsentFieldsAlone(t *testing.T) {
	s, absent := "a", (*string)(nil)
	Map(strings.ToUpper, &s, nil)
	MapOpt(strings.ToUpper, &absent)
	if s != "A" || absent != nil {
		t.Errorf("%q %v", s, absent)
	}
	shared := "b"
	p := &shared
	MapOpt(strings.ToUpper, &p)
	if *p != "B" || shared != "b" {
		t.Errorf("the field is %q, its old value %q", *p, shared)
	}
	if got := MapAll(strings.ToUpper, []string(nil)); got == nil {
		t.Error("no list")
	}
}

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		in string
		n  int
		ok bool
	}{{"0", 0, true}, {"042", 42, true}, {"999999999", 999999999, true}, {"1000000000", 0, false}, {"", 0, false}, {"-1", 0, false}, {"1a", 0, false}} {
		if n, ok := Digits(c.in); n != c.n || ok != c.ok {
			t.Errorf("%q: %d %v", c.in, n, ok)
		}
	}
}
