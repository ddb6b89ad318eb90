package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/file"
	"example.org/deref/uri"
)

// fakeWeb returns a client with handlers for http and https in which each URI has a document, a redirect (301 URI, 302 URI), or nothing.
func fakeWeb(t *testing.T, all map[string]string) *fetch.Client {
	t.Helper()
	web := func(name string, port int) fetch.Scheme {
		return fetch.Scheme{Names: []string{name}, Rules: uri.Rules{Hierarchical: true, DefaultPort: port}, Does: fetch.Does{Retrieves: true, Refers: true},
			MayReferTo: []string{"http", "https"}, Plan: func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
				return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
					status, to, _ := strings.Cut(all[u.String()], " ")
					d := fetch.NewDocument(nil)
					switch status {
					case "200":
					case "301", "302":
						d.Referrals = []fetch.Referral{{URI: uri.MustParse(to), Reason: status, Permanent: status == "301"}}
					default:
						return nil, fetch.Errorf(fetch.ErrNotFound, "none")
					}
					return d, nil
				}}, nil
			}}
	}
	c := fetch.New(web("http", 80), web("https", 443), file.Scheme(), data.Scheme())
	t.Cleanup(func() { c.Close() })
	return c
}

// A journal is true after the Run to which it belongs.
type journal bool

func (*journal) Done(*batch.Item) (bool, error) { return false, nil }

func (over *journal) Note(list []batch.Finished) (int, error) {
	if *over {
		return 0, fmt.Errorf("got %s, want no link of Upgrade in the journal of the Run", list[0].Item.URI)
	}
	return len(list), nil
}

// fix writes a text into a file, and returns the change that a Fixer proposes.
func fix(t *testing.T, name, text string) (e *check.Edit, err error) {
	t.Helper()
	c := fakeWeb(t, map[string]string{
		"http://h/old": "301 http://h/new", "http://h/new": "200", "http://h/old?a=1&b=2": "301 http://h/new?a=1&b=2", "http://h/new?a=1&b=2": "200",
		"http://h/oldest": "200", "http://h/temporary": "302 http://h/new", "http://h/twice": "301 http://h/old", "http://h/half": "301 http://h/temporary",
		"http://s/a": "200", "https://s/a": "200", "http://s/b": "200", "https://s/b": "302 http://s/b", "http://s:80/a": "200", "http://s:81/a": "200",
		"http://s/c": "302 https://s/c", "https://s/c": "200", "https://s/down": "301 http://h/new",
		"http://[fe80:80::1]:80/a": "200", "https://[fe80:80::1]/a": "200", "https://[fe80::1]:80/a": "200",
		"http://u@h/old": "301 http://h/new", "http://h/lost": "301 http://h/none",
		"http://h/nest": "301 http://h/nest/x", "http://h/nest/x": "200",
	})
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	var j journal
	o := &check.Options{Batch: batch.Options{Journal: &j}}
	f := check.NewFixer(c, o)
	if _, err := check.Run(t.Context(), c, []uri.URI{uri.MustParse("file://" + path)}, o); err != nil {
		t.Fatal(err)
	}
	j = true
	if err := f.Upgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	for e, err = range f.Edits(t.Context()) {
		return e, err
	}
	return nil, nil
}

func TestFix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.md", "[x](http://h/old), <http://h/old>.\r\n\tno newline", "[x](http://h/new), <http://h/new>.\r\n\tno newline"},
		{"a.md", "[x](http://h/old) `http://h/old` [y](http://h/oldest)", "[x](http://h/new) `http://h/old` [y](http://h/oldest)"},
		{"a.md", "[x](http://h/old#p \"t\") <!-- http://h/old -->", "[x](http://h/new#p \"t\") <!-- http://h/old -->"},
		{"a.md", "[x](http://h/twice) [y](http://h/half) [z](http://h/temporary) [v](http://h/lost)", "[x](http://h/new) [y](http://h/half) [z](http://h/temporary) [v](http://h/lost)"},
		{"a.md", "[x](http://h/nest) [x](http://h/nest) [x](http://h/nest/x)", "[x](http://h/nest/x) [x](http://h/nest/x) [x](http://h/nest/x)"},
		{"a.txt", "see http://s/a, http://s/b and http://s/c.\n", "see https://s/a, http://s/b and https://s/c.\n"},
		{"a.txt", "http://s:80/a http://s:81/a https://s/down http://u@h/old\n", "https://s/a http://s:81/a https://s/down http://u@h/old\n"},
		{"a.md", "[x](http://[fe80:80::1]:80/a)", "[x](https://[fe80:80::1]/a)"},
		{"a.html", `<a href="http://h/old?a=1&amp;b=2">http://h/old</a><a href=http://h/old>http://h/old</a>` + "\r\n",
			`<a href="http://h/new?a=1&amp;b=2">http://h/old</a><a href=http://h/new>http://h/old</a>` + "\r\n"},
		{"a.txt", "nothing http://h/new\n", ""},
	} {
		e, err := fix(t, c.name, c.text)
		got := ""
		if e != nil {
			got = string(e.New)
		}
		if want := c.want; err != nil || got != want && !(want == c.text && got == "") {
			t.Errorf("%q: got %q, %v; want %q", c.text, got, err, want)
		}
	}
}

// A link that is written in another form than its URI stays, and is counted.
func TestFixLeavesOtherForms(t *testing.T) {
	t.Parallel()
	e, err := fix(t, "a.html", `<a href="http&#58;//h/old">x</a>`)
	if err != nil || e == nil || e.Fixed != 0 || e.Left != 1 || string(e.New) != string(e.Old) {
		t.Errorf("got %+v, %v; want one link that stays", e, err)
	}
}

// Write keeps the mode, and refuses a file that has changed since it was read.
func TestFixWrites(t *testing.T) {
	t.Parallel()
	e, err := fix(t, "a.txt", "http://h/old\n")
	if err != nil || e == nil {
		t.Fatal(e, err)
	}
	if want := "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-http://h/old\n+http://h/new\n"; string(e.Diff("a.txt")) != want {
		t.Errorf("got %q, want %q", e.Diff("a.txt"), want)
	}
	if _, err := e.Write(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(e.Path)
	if err != nil || string(b) != "http://h/new\n" {
		t.Errorf("got %q, %v; want the change", b, err)
	}
	if fi, err := os.Stat(e.Path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v; want the mode of the old file", fi.Mode(), err)
	}
	if _, err := e.Write(); fetch.KindOf(err) != fetch.ErrChanged {
		t.Errorf("got %v, want ErrChanged", err)
	}
}

// TestDiffIsApplied: patch and git apply the patch, whatever the name of the file.
func TestDiffIsApplied(t *testing.T) {
	t.Parallel()
	names := []string{"a.md", "docs/a.md", "a b/c d.md", "ü.md"}
	if runtime.GOOS != "windows" {
		names = append(names, "a\n+++ b.md", "a\t2.md", `"a".md`, `a\b.md`, "a\x01\x7f.md", "\xff.md")
	}
	for _, command := range [][]string{{"patch", "-p0"}, {"git", "apply", "-p0"}} {
		if v, err := exec.Command(command[0], "--version").Output(); err != nil || !strings.HasPrefix(string(v), "GNU patch") && !strings.HasPrefix(string(v), "git") {
			t.Logf("no %s: %v", command[0], err)
			continue
		}
		for _, name := range names {
			e := &check.Edit{Old: []byte("x\r\nhttp://h/old\ny"), New: []byte("x\r\nhttp://h/new\ny")}
			dir := t.TempDir()
			e.Path = filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(e.Path), 0o700), os.WriteFile(e.Path, e.Old, 0o600)); err != nil {
				t.Fatal(err)
			}
			run := exec.Command(command[0], command[1:]...)
			run.Dir, run.Stdin = dir, bytes.NewReader(e.Diff(name))
			out, err := run.CombinedOutput()
			if got, _ := os.ReadFile(e.Path); err != nil || !bytes.Equal(got, e.New) {
				t.Errorf("%s, %q: got %q, %v, %s, want %q", command, name, got, err, out, e.New)
			}
		}
	}
}

// TestFixOfACrawl: the pages of a crawl are read in any order, and each is changed.
func TestFixOfACrawl(t *testing.T) {
	dir, pages := t.TempDir(), ""
	const link = "<a href=http://h/a>x</a>"
	var want []string
	for i := range 30 {
		name := fmt.Sprintf("%02d.html", i)
		want = append(want, filepath.Join(dir, name))
		pages = "<a href=" + name + ">x</a>" + pages
		if err := os.WriteFile(want[i], []byte(link), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(pages), 0o600); err != nil {
		t.Fatal(err)
	}
	c, o := fakeWeb(t, map[string]string{"http://h/a": "301 https://h/a", "https://h/a": "200"}), &check.Options{Crawl: &check.Crawl{}}
	f := check.NewFixer(c, o)
	if _, err := check.Run(t.Context(), c, []uri.URI{uri.MustParse("file://" + filepath.ToSlash(dir) + "/index.html")}, o); err != nil {
		t.Fatal(err)
	}
	var got []string
	for e, err := range f.Edits(t.Context()) {
		if err != nil || e.Fixed != 1 {
			t.Errorf("got %+v, %v; want one link changed", e, err)
		}
		got = append(got, e.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got changes of %q, want those of %q", got, want)
	}
}
