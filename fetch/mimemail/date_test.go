package mimemail

import (
	"net/mail"
	"testing"
)

// Dates in the usual form are those that net/mail reads, and cost one attempt.
func TestCommonDate(t *testing.T) {
	for _, s := range []string{"Tue, 20 Dec 1994 12:00:05 GMT", "20 Dec 1994 12:00:05 GMT", "Tue, 20 Dec 1994 13:00:05 +0100", "Tue, 6 Dec 1994 12:00:05 -0530"} {
		got, ok := CommonDate(s)
		want, err := mail.ParseDate(s)
		if !ok || err != nil || !got.Equal(want) {
			t.Errorf("%s: got %v %t, want %v %v", s, got, ok, want, err)
		}
		if n := testing.AllocsPerRun(20, func() { _, ok = CommonDate(s) }); n > 5 {
			t.Errorf("%s: got %v allocations, want at most 5", s, n)
		}
	}
	for _, s := range []string{"", "soon", "+0000", " GMT", "Tue, 20 Dec 94 07:00:05 EST", "Tue, 20 Dec 1994 12:00 +0000", "Tue, 40 Dec 1994 12:00:00 +0000",
		"Tue, 20 Dec 1994 12:00:05 +0000 (UTC)"} {
		if got, ok := CommonDate(s); ok {
			t.Errorf("%q: got %v, want another form", s, got)
		}
	}
}
