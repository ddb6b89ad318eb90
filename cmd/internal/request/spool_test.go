package request

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

const record = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n" +
	"WARC-Date: 2026-11-23T06:44:52Z\r\nWARC-Target-URI: gopher://h.example/0/a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"

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

// A copy gets an index, from which documents are found as without; a damaged one and a package get none.
func TestCopyIsIndexed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		least      int64
		isIndexed  bool
	}{
		{"stdin.warc", record, 0, true}, {"stdin.warc", record, 1 << 20, false}, {"stdin.warc", record + record[:200], 0, false}, {"stdin.wacz", record, 0, false},
	} {
		name := filepath.Join(t.TempDir(), tt.name)
		if err := os.WriteFile(name, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := indexSpooled(name, tt.least); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), "stdin.cdxj")); (err == nil) != tt.isIndexed {
			t.Errorf("%s of %d bytes: got %v, want an index: %t", tt.name, len(tt.text), err, tt.isIndexed)
		}
		a, err := warc.OpenArchive(schemes.All(nil), name)
		if err != nil {
			t.Fatal(err)
		}
		c := fetch.New(a.Schemes()...)
		d, err := c.Get(t.Context(), uri.MustParse("gopher://h.example/0/a"), nil)
		if err != nil {
			t.Fatalf("%s of %d bytes: %v", tt.name, len(tt.text), err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(d.Body); got.String() != "hello" || err != nil {
			t.Errorf("%s of %d bytes: got %q, %v; want hello", tt.name, len(tt.text), &got, err)
		}
		d.Body.Close()
		c.Close()
	}
}
