package loopback

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	site := fstest.MapFS{"a": {Data: []byte("text")}, "b/c": {}, "most": {Data: make([]byte, maxRead)}, "more": {Data: make([]byte, maxRead+1)}, "fifo": {Mode: fs.ModeNamedPipe}}
	for name, want := range map[string]int{"a": 4, "b/c": 0, "most": maxRead, "more": -1, "b": -1, "x": -1, "../a": -1, "fifo": -1} {
		b, err := ReadFile(site, name)
		if (err == nil) != (want >= 0) || len(b) != max(want, 0) {
			t.Errorf("%s: %d octets, %v", name, len(b), err)
		}
		var out bytes.Buffer
		err = SendFile(&out, site, name, "head ")
		switch {
		case name == "more":
			want = maxRead + 1 // it is in no memory
			fallthrough
		case want >= 0:
			if err != nil || out.Len() != want+5 || !strings.HasPrefix(out.String(), "head ") {
				t.Errorf("%s: %d octets are sent, %v", name, out.Len(), err)
			}
		case err == nil || out.Len() > 0:
			t.Errorf("%s: %q is sent, %v", name, out.String(), err)
		}
	}
}
