package loopback

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	site := fstest.MapFS{
		"a": {Data: []byte("text")}, "b/c": {}, "fifo": {Mode: fs.ModeNamedPipe},
		"most": {Data: make([]byte, maxRead)}, "more": {Data: make([]byte, maxRead+1)},
	}
	for name, want := range map[string]int{"a": 4, "b/c": 0, "most": maxRead, "more": -1, "b": -1, "x": -1, "../a": -1, "fifo": -1} {
		b, err := ReadFile(site, name)
		if (err == nil) != (want >= 0) || len(b) != max(want, 0) {
			t.Errorf("%s: got %d bytes, %v, want %d (-1: an error)", name, len(b), err, want)
		}
		var out bytes.Buffer
		err = SendFile(&out, site, name, "head ")
		switch {
		case name == "more":
			want = maxRead + 1 // SendFile does not hold it in memory
			fallthrough
		case want >= 0:
			if err != nil || out.Len() != want+5 || !strings.HasPrefix(out.String(), "head ") {
				t.Errorf("%s: %d bytes are sent, %v, want %d", name, out.Len(), err, want+5)
			}
		case err == nil || out.Len() > 0:
			t.Errorf("%s: got %q, %v, want an error", name, out.String(), err)
		}
	}
}
