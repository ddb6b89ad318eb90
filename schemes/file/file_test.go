package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func get(t *testing.T, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Scheme())
}

// tree creates a directory with files and returns its path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDocuments(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "text\n", "with blank": "\x00\x01", "100%": "p", "empty": "", "sub/deep.html": "<p>"})
	path := strings.TrimPrefix(schemetest.FileURI(dir), "file://")
	for _, tt := range []struct{ path, body, typ, reason string }{
		{"/a.txt", "text\n", "text/plain", "suffix .txt"},
		{"/with%20blank", "\x00\x01", "application/octet-stream", "its first bytes"},
		{"/100%25", "p", "text/plain", "its first bytes"},
		{"/empty", "", "text/plain", "its first bytes"},
		{"/sub/../sub/./deep.html#frag", "<p>", "text/html", "suffix .html"},
	} {
		for _, prefix := range []string{"file://", "file://localhost", "FILE://LocalHost", "file:"} {
			d, body, err := get(t, prefix+path+tt.path, nil)
			if err != nil || body != tt.body || d.Type != tt.typ || d.TypeReason != tt.reason {
				t.Errorf("%s%s: got %q, %v, %+v, want %q, %s (%s)", prefix, tt.path, body, err, d, tt.body, tt.typ, tt.reason)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	dir := tree(t, map[string]string{"f": "x"})
	for _, tt := range []struct {
		uri  string
		want fetch.Kind
	}{
		{schemetest.FileURI(dir) + "/missing", fetch.ErrNotFound},
		{schemetest.FileURI(dir) + "/f/below", fetch.ErrNotFound},
		{schemetest.FileURI(dir) + "/f/", fetch.ErrNotFound},
		{schemetest.FileURI(dir) + "/" + strings.Repeat("x", 300), fetch.ErrNotFound},
		{"file://otherhost/etc/motd", fetch.ErrRefusedURL},
		{"file://127.0.0.1/etc/motd", fetch.ErrRefusedURL}, // RFC 8089: only "" and localhost are this host
		{"file://localhost.evil.example/etc/motd", fetch.ErrRefusedURL},
		{"file://localhost:80/etc/motd", fetch.ErrRefusedURL},
		{"file://me@localhost/etc/motd", fetch.ErrRefusedURL},
		{"file:etc/motd", fetch.ErrRefusedURL},
		{"file://localhost", fetch.ErrRefusedURL},
		{"file:///etc/motd?x", fetch.ErrRefusedURL},
		{"file:///etc%2Fmotd", fetch.ErrRefusedURL},
		{"file:///etc/motd%00.txt", fetch.ErrRefusedURL},
	} {
		if _, _, err := get(t, tt.uri, nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v (%s), want %s", tt.uri, err, fetch.KindOf(err), tt.want)
		}
	}
}

func TestUnreadableIsRefused(t *testing.T) {
	if err := withKind(&os.PathError{Op: "open", Path: "/x", Err: fs.ErrPermission}); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("got %v, want refused", err) // the test may run as root, who can read everything
	}
}

func TestRangesAndStates(t *testing.T) {
	dir := tree(t, map[string]string{"f": "abcdef"})
	u := schemetest.FileURI(dir) + "/f"
	whole, _, err := get(t, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	same, other := whole.Validator, fetch.Validator{Tag: "another"}
	for _, tt := range []struct {
		o    fetch.Options
		off  int64
		want string
		not  bool
	}{
		{fetch.Options{Range: fetch.Range{From: 2}}, 2, "cdef", false},
		{fetch.Options{Range: fetch.Range{From: 2, To: 4}}, 2, "cd", false},
		{fetch.Options{Range: fetch.Range{From: -2}}, 4, "ef", false},
		{fetch.Options{Range: fetch.Range{From: 6}}, 6, "", false},
		{fetch.Options{Range: fetch.Range{From: 2}, IfSame: same}, 2, "cdef", false},
		{fetch.Options{Range: fetch.Range{From: 2}, IfSame: other}, 0, "abcdef", false}, // the whole, since it has changed
		{fetch.Options{IfChanged: same}, 0, "", true},
		{fetch.Options{IfChanged: other}, 0, "abcdef", false},
		{fetch.Options{IfChanged: fetch.Validator{Modified: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}}, 0, "", true},
		{fetch.Options{IfChanged: fetch.Validator{Modified: "Mon, 02 Jan 2006 15:04:05 GMT"}}, 0, "abcdef", false},
		{fetch.Options{Op: fetch.Metadata}, 0, "", false},
	} {
		d, body, err := get(t, u, &tt.o)
		if err != nil || body != tt.want || d.Offset != tt.off || d.NotModified != tt.not || d.Size != 6 {
			t.Errorf("%+v: got %q at %d, %v, %v; want %q at %d, %v", tt.o, body, d.Offset, d.NotModified, err, tt.want, tt.off, tt.not)
		}
	}
	if _, _, err := get(t, u, &fetch.Options{Range: fetch.Range{From: 7}}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("after the end: got %v, want %s", err, fetch.ErrRange)
	}
}

func TestFilesOfProcHaveNoSize(t *testing.T) {
	want, err := os.ReadFile("/proc/version")
	if err != nil {
		t.Skip("no /proc")
	}
	d, body, err := get(t, "file:///proc/version", nil)
	if err != nil || body != string(want) || d.Size != -1 {
		t.Errorf("got %q, %v, %+v, want %q, size -1", body, err, d, want)
	}
	for _, to := range []int64{5, int64(len(want)), int64(len(want)) + 1} { // a range may end after the file, as that of a file with a size
		o := &fetch.Options{Range: fetch.Range{From: 2, To: to}}
		if _, body, err := get(t, "file:///proc/version", o); err != nil || body != string(want[2:min(to, int64(len(want)))]) {
			t.Errorf("range to %d: got %q, %v, want %q", to, body, err, want[2:])
		}
	}
}

func TestRangeOfAnEmptyFile(t *testing.T) {
	u := schemetest.FileURI(tree(t, map[string]string{"f": ""})) + "/f"
	if _, body, err := get(t, u, &fetch.Options{Range: fetch.Range{To: 9}}); body != "" || err != nil {
		t.Errorf("got %q, %v, want no bytes and no error", body, err)
	}
}

// ways returns the ways to read a document.
func ways() map[string]func(io.Reader) error {
	return map[string]func(io.Reader) error{
		"Read":       func(r io.Reader) error { _, err := io.ReadAll(struct{ io.Reader }{r}); return err },
		"WritePiece": func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
	}
}

func TestShrinkingIsTruncated(t *testing.T) {
	for name, read := range ways() {
		dir := tree(t, map[string]string{"f": "abcdef"})
		d, err := fetch.New(Scheme()).Get(t.Context(), uri.MustParse(schemetest.FileURI(dir)+"/f"), nil)
		if err != nil {
			t.Fatal(err)
		}
		os.Truncate(dir+"/f", 3)
		if err := read(d.Body); !errors.Is(err, fetch.ErrTruncated) {
			t.Errorf("%s: got %v, want truncated", name, err)
		}
		d.Body.Close()
	}
}

func TestCopyToFile(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 600_000) // more than two pieces of the Client
	dir := tree(t, map[string]string{"f": text})
	for _, r := range []fetch.Range{{}, {From: 5, To: 9_000_000}} {
		d, err := fetch.New(Scheme()).Get(t.Context(), uri.MustParse(schemetest.FileURI(dir)+"/f"), &fetch.Options{Range: r})
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(dir + "/copy")
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(out, d.Body)
		d.Body.Close()
		out.Close()
		from, to, _ := r.Of(int64(len(text)))
		if got, _ := os.ReadFile(dir + "/copy"); err != nil || n != to-from || string(got) != text[from:to] {
			t.Errorf("%v: got %d bytes, %v, want %d", r, n, err, to-from)
		}
	}
}

func TestCancelEndsReading(t *testing.T) {
	dir := tree(t, map[string]string{"f": "abc"})
	for name, read := range ways() {
		ctx, cancel := context.WithCancel(t.Context())
		d, err := fetch.New(Scheme()).Get(ctx, uri.MustParse(schemetest.FileURI(dir)+"/f"), nil)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := read(d.Body); fetch.KindOf(err) != fetch.ErrCanceled || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v of kind %q, want canceled", name, err, fetch.KindOf(err))
		}
		d.Body.Close()
	}
}

func TestTimeLimitOfList(t *testing.T) {
	dir := tree(t, map[string]string{"f": ""})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	o := &fetch.Options{Trace: func(e fetch.Event) {
		if e.Step != nil && e.Step.Verb == "list" {
			<-ctx.Done()
		}
	}}
	if _, err := fetch.New(Scheme()).Get(ctx, uri.MustParse(schemetest.FileURI(dir)), o); fetch.KindOf(err) != fetch.ErrTimeout {
		t.Errorf("got %v, want kind %s", err, fetch.ErrTimeout)
	}
}

func TestEntriesAreLimited(t *testing.T) {
	dir := tree(t, map[string]string{"a": "", "b": "", "c": ""})
	c := fetch.New(Scheme())
	c.Limits.Entries = 2
	d, err := c.Get(t.Context(), uri.MustParse(schemetest.FileURI(dir)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	n := 0
	for _, err = range d.Entries {
		n++
	}
	if n != 3 || !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("got %d entries and %v, want 2 and a limit", n-1, err)
	}
}

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme()); n < 4 {
		t.Errorf("got %d rows, want 4 or more", n)
	}
}

func TestPlan(t *testing.T) {
	p, err := fetch.New(Scheme()).Plan(uri.MustParse("file:///a%20b/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Network != "" || p.Shape != fetch.ShapeListing || len(p.Steps) != 2 || p.Steps[0].Data != "/a b/" || p.Steps[1].If != isDirectory {
		t.Errorf("got %+v, want a listing in two steps of /a b/", p)
	}
	if _, err := fetch.New(Scheme()).Plan(uri.MustParse("file:///x"), &fetch.Options{Op: fetch.Send}); !errors.Is(err, fetch.ErrUnsupported) {
		t.Errorf("send: got %v, want %s", err, fetch.ErrUnsupported)
	}
}

// TestPage checks that the table of outcomes is documented.
func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }
