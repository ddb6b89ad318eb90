package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestResumeSaysWhatIsReplaced checks that -C with -o replaces a file that is not the beginning of the document, and reports it. With -O it does
// the same where nothing is lost, and otherwise reports what to do.
func TestResumeSaysWhatIsReplaced(t *testing.T) {
	t.Parallel()
	doc := strings.Repeat("0123456789", 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/whole") {
			w.Write([]byte(doc))
			return
		}
		http.ServeContent(w, r, "doc", time.Time{}, strings.NewReader(doc))
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name, old, path string
		args            []string
		told            bool
	}{
		{"-C N, another file", strings.Repeat("x", 300), "/", []string{"-C", "100"}, true},
		{"-C -, another file", strings.Repeat("x", 300), "/", []string{"-C", "-"}, true},
		{"-C N, in a list", strings.Repeat("x", 300), "/", []string{"-C", "100", "-Z"}, true},
		{"a server without ranges", strings.Repeat("x", 300), "/whole", []string{"-C", "100"}, true},
		{"a server without ranges, the beginning", doc[:300], "/whole", []string{"-C", "100"}, false},
		{"-s", strings.Repeat("x", 300), "/", []string{"-C", "100", "-s"}, false},
		{"-C N, the beginning", doc[:300], "/", []string{"-C", "100"}, false},
		{"-C -, the beginning", doc[:300], "/", []string{"-C", "-"}, false},
		{"-C -, all of it", doc, "/", []string{"-C", "-"}, false},
		{"-C -, nothing", "", "/", []string{"-C", "-"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "F")
			if err := os.WriteFile(name, []byte(tt.old), 0o600); err != nil {
				t.Fatal(err)
			}
			_, out, code := invoked(t, input{}, append(tt.args, "-o", name, server.URL+tt.path)...)
			got, err := os.ReadFile(name)
			if code != 0 || err != nil || string(got) != doc {
				t.Errorf("exit code %d, %v: %d bytes, want %d\n%s", code, err, len(got), len(doc), out)
			}
			if told := strings.Contains(out, "could not be continued; it was replaced by the whole document\n"); told != tt.told {
				t.Errorf("got a warning: %v, want %v\n%s", told, tt.told, out)
			}
			lost := !strings.HasPrefix(doc, tt.old)
			if lost && tt.args[1] != "-" {
				return // -C N means the first N bytes
			}
			name = filepath.Join(t.TempDir(), strings.TrimPrefix(tt.path, "/")+"F")
			if err := os.WriteFile(name, []byte(tt.old), 0o600); err != nil {
				t.Fatal(err)
			}
			_, out, code = invoked(t, input{}, append(tt.args, "-O", "--output-dir", filepath.Dir(name), server.URL+tt.path+"F")...)
			got, err = os.ReadFile(name)
			want, wantCode := doc, 0
			if lost {
				want, wantCode = tt.old, 14
			}
			told := strings.Contains(out, "F is not the beginning of the document\nderef: hint: --force replaces it\n")
			if code != wantCode || err != nil || string(got) != want || told != lost {
				t.Errorf("-O: exit code %d, %v: %d bytes, want %d and %d\n%s", code, err, len(got), wantCode, len(want), out)
			}
		})
	}
}
