package schemetest_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
)

func replyTable() replies.Table {
	return replies.Table{
		{On: "2xx", Note: "the document"},
		{On: "404, 410", Kind: fetch.ErrNotFound},
		{On: "other 4xx, NOPERM", Kind: fetch.ErrRefused, Note: "the user may not"},
		{On: "no status line", Kind: fetch.ErrProtocol},
	}
}

func TestReplyKind(t *testing.T) {
	for _, tt := range []struct {
		code  string
		want  fetch.Kind
		found bool
	}{
		{"200", "", true},
		{"404", fetch.ErrNotFound, true},
		{"410", fetch.ErrNotFound, true},
		{"499", fetch.ErrRefused, true},
		{"NOPERM", fetch.ErrRefused, true},
		{"NO", "", false},
		{"4a0", "", false},
		{"4xx", "", false},
		{"20", "", false},
		{"500", "", false},
		{"", "", false},
	} {
		if got, found := replyTable().Kind(tt.code); got != tt.want || found != tt.found {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.code, got, found, tt.want, tt.found)
		}
	}
}

func TestReplyTable(t *testing.T) {
	const want = `2xx                the document
404, 410           notfound
other 4xx, NOPERM  refused: the user may not
no status line     protocol
`
	if got := replyTable().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
