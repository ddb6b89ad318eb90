package gateway_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/ftp/ftptest"
)

// A text of a bulletin board has a page, although its type is unknown.
func TestBoardText(t *testing.T) {
	l := newLab(t, nil)
	f, err := ftptest.Listen(fstest.MapFS{
		"lake.ans": {Data: []byte("\x1b[1;34m\xb1\xb1\x1b[0m\x1b]0;x\x07\r\n")}, "a.nfo": {Data: []byte("\xda\xc4\xbf")}, "b.nfo": {Data: []byte("\x00\x01")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := "/ftp/" + strings.TrimPrefix(f.URL, "ftp://")
	for path, want := range map[string]string{
		"/lake.ans": "▒▒",
		"/a.nfo":    "┌─┐", "/b.nfo": "binary",
	} {
		if _, body := l.ask(t, at+path, nil); !strings.Contains(body, want) {
			t.Errorf("%s: got %q, want %q in it", path, body, want)
		}
	}
}
