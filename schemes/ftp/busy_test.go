package ftp

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

// TestBusy checks that only replies about the number of users mean that the server is busy.
func TestBusy(t *testing.T) {
	for _, test := range []struct {
		verb string
		code int
		text string
		want fetch.Kind
		busy bool
	}{
		{"connecting", 421, "There are too many connections from your internet address.", fetch.ErrUnavailable, true},
		{"connecting", 530, "Sorry, the maximum number of clients (2) from your host are already connected.", fetch.ErrUnavailable, true},
		{"PASS", 530, "Sorry, the maximum number of clients (2) from your host are already connected.", fetch.ErrUnavailable, true},
		{"PASS", 530, "User anonymous access denied, too many users.", fetch.ErrUnavailable, true},
		{"PASS", 530, "Login incorrect.", fetch.ErrAuth, false},
		{"PASS", 530, "Maximum number of login attempts exceeded.", fetch.ErrAuth, false},
		{"CWD", 450, "Too busy", fetch.ErrUnavailable, false},
	} {
		r := reply{code: test.code, text: test.text}
		e, ok := errors.AsType[*fetch.Error](fail(&refusal{fetch.Step{Verb: test.verb, Args: []string{"x"}}, r}))
		if !ok || e.Kind != test.want || e.Busy != test.busy {
			t.Errorf("%s: %d %s: got %+v, want %s, busy %v", test.verb, test.code, test.text, e, test.want, test.busy)
		}
	}
}
