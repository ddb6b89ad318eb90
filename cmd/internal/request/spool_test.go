package request

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/app"
)

// The copy of standard input has the suffix of its format, and nothing of it is left.
func TestStandardInputIsCopied(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	input := func(text string) *app.App {
		in := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return &app.App{Stdin: f}
	}
	for begin, want := range map[string]string{"WARC/1.1": "stdin.warc", "": "stdin.warc", "\x1f\x8b\x08\x00": "stdin.warc.gz", "\x28\xb5\x2f\xfd": "stdin.warc.zst",
		"\x5d\x2a\x4d\x18": "stdin.warc.zst", "\x50\x2a\x4d\x18": "stdin.warc.zst", "PK\x03\x04": "stdin.wacz"} {
		f := ArchiveFlags{FromWarc: []string{"-"}}
		names, err := f.Names(input(begin))
		if err != nil || len(names) != 1 || filepath.Base(names[0]) != want {
			t.Errorf("%q: got %v, %v; want %s", begin, names, err, want)
			continue
		}
		if b, err := os.ReadFile(names[0]); string(b) != begin {
			t.Errorf("%q: got %q, %v", begin, b, err)
		}
		f.CloseArchives()
	}
	if left, err := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("got %v, %v; want nothing left", left, err)
	}
	f := ArchiveFlags{FromWarc: []string{"-", "-"}}
	defer f.CloseArchives()
	if _, err := f.Names(input("")); err == nil || !strings.Contains(err.Error(), "only once") {
		t.Errorf("got %v, want an error: standard input can be read only once", err)
	}
}
