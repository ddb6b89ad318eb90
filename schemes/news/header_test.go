package news

import (
	"errors"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

func TestWhen(t *testing.T) {
	want := time.Date(1994, 12, 20, 12, 0, 5, 0, time.UTC)
	for _, s := range []string{"Tue, 20 Dec 1994 12:00:05 GMT", "20 Dec 1994 12:00:05 GMT", "Tue, 20 Dec 1994 13:00:05 +0100",
		"Tue, 20 Dec 94 07:00:05 EST",
		"Tue, 20 Dec 1994 12:00:05 +0000 (UTC)", "Tue, 20 Dec 1994 12:00:05 +0000 (UTC", "Tue,20 Dec 1994 12:00:05 GMT"} {
		if got := mimemail.Date(s); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", s, got, want)
		}
	}
	for _, s := range []string{"", "soon", "20 Dec", "(", "+0000", "GMT"} {
		if got := mimemail.Date(s); !got.IsZero() {
			t.Errorf("%s: got %v, want the zero time", s, got)
		}
	}
}

func TestParseHeader(t *testing.T) {
	h := mimemail.ParseHeader([]byte("Subject: a\r\n b\r\n\tc\r\nnonsense\r\nX:y\r\n: z\r\nSUBJECT: second\r\n\r\nFrom: body\r\n"))
	if h.Get("Subject") != "a b c" || h.Get("X") != "y" || h.Get("From") != "" || len(h) != 3 {
		t.Errorf("got %+v, want Subject a b c, X y and the second Subject", h)
	}
}

func TestBusy(t *testing.T) {
	for _, test := range []struct {
		code int
		text string
		want fetch.Kind
		busy bool
	}{
		{400, "out of service", fetch.ErrUnavailable, true},
		{403, "internal fault", fetch.ErrUnavailable, false},
		{502, "Too many connections", fetch.ErrUnavailable, true},
		{502, "no permission", fetch.ErrRefused, false},
	} {
		e, ok := errors.AsType[*fetch.Error](fail(fetch.Step{Verb: "connecting"}, reply{code: test.code, text: test.text}))
		if !ok || e.Kind != test.want || e.Busy != test.busy {
			t.Errorf("%d %s: %+v, want %s, busy %v", test.code, test.text, e, test.want, test.busy)
		}
	}
}
