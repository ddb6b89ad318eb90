package check_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

func TestStatuses(t *testing.T) {
	t.Parallel()
	srv, _ := web(t)
	for _, c := range []struct {
		accept string
		want   map[string]check.Verdict
	}{
		{"200..299,401", map[string]check.Verdict{"/page": check.OK, "/private": check.OK, "/none": check.Broken, "/moved": check.Redirected, "/loop": check.Broken,
			"/page#here": check.OK, "/page#none": check.Broken}},
		{"*/none=404", map[string]check.Verdict{"/page": check.OK, "/private": check.Denied, "/none": check.OK, "/moved": check.Redirected}},
		{"none=200..=299,404", map[string]check.Verdict{"/page": check.OK, "/none": check.OK}},
		{"404", map[string]check.Verdict{"/page": check.Broken, "/private": check.Denied, "/none": check.OK, "/moved": check.Broken}},
	} {
		accept, err := check.ParseStatuses(c.accept)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for path := range c.want {
			text += srv.URL + path + "\n"
		}
		got, _ := run(t, "list.txt", text, &check.Options{Accept: accept})
		for path, want := range c.want {
			if r := got[srv.URL+path]; r == nil || r.Verdict != want {
				t.Errorf("--accept %s, %s: got %+v, want %s", c.accept, path, r, want)
			}
		}
	}
	for _, bad := range []string{"", "x", "300..200", "1..", "-1", "200,", "h=", "h=x", "re:(=200"} {
		if _, err := check.ParseStatuses(bad); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%q: got %v, want ErrLocal", bad, err)
		}
	}
}

// checkTree checks the files in a new directory, and returns the sorted "VERDICT NAME" of the links below it.
func checkTree(t *testing.T, files map[string]string, o func(dir string) *check.Options) (string, check.Summary) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	options := o("file://" + dir)
	var got []string
	options.Done = func(r *check.Result) {
		got = append(got, fmt.Sprintf("%s %s", strings.TrimPrefix(r.Name(), "file://"+dir), r.Verdict))
	}
	sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse("file://" + dir + "/")}, options)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return strings.Join(got, "; "), sum
}

func TestIgnoreFile(t *testing.T) {
	t.Parallel()
	got, sum := checkTree(t, map[string]string{
		".derefignore":     "# rules\n\nvendor/\n*.tmp.md\nsub/skipped.md\ndata:,no*\nre:secret\n*.nosuch\n",
		"a.md":             "[a](gone) data:,no data:,yes data:,secret http://x.nosuch/ [s](sub/skipped.md)",
		"b.tmp.md":         "[b](gone2)",
		"vendor/c.md":      "[c](gone3)",
		"sub/skipped.md":   "[d](gone4)",
		"sub/e.md":         "[e](gone5) data:,here data:,no",
		"sub/.derefignore": "data:,here\n",
		"sub/vendor/f.md":  "[f](gone6)",
		"vendors/g.md":     "data:,here",
		"myvendor/h.md":    "[h](gone7)",
	}, func(string) *check.Options { return &check.Options{} })
	if want := "/gone broken; /myvendor/gone7 broken; /sub/gone5 broken; data:,here ok; data:,yes ok"; got != want || sum.Excluded != 6 {
		t.Errorf("got %s, %d excluded; want %s, 6", got, sum.Excluded, want)
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.md": "[a](gone) data:,x data:,y"}
	x, y := pattern(t, "data:,x"), pattern(t, "data:*")
	for _, c := range []struct {
		o    check.Options
		want string
	}{
		{check.Options{Exclude: scope.Patterns{x}}, "/gone broken; data:,y ok"},
		{check.Options{Exclude: scope.Patterns{x, pattern(t, "go*")}}, "data:,y ok"},
		{check.Options{Include: scope.Patterns{y}}, "data:,x ok; data:,y ok"},
		{check.Options{Include: scope.Patterns{y}, Exclude: scope.Patterns{x}}, "data:,y ok"},
		{check.Options{Skip: func(u uri.URI) string { return map[bool]string{true: "not now"}[u.Scheme() == "data"] }}, "/gone broken; data:,x not checkable; data:,y not checkable"},
	} {
		if got, _ := checkTree(t, files, func(string) *check.Options { return &c.o }); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestRootAndBase(t *testing.T) {
	t.Parallel()
	files := map[string]string{"sub/a.html": `<a href="/b.html">b</a> <a href="c.html">c</a> <a href="//h/d">d</a>`, "b.html": "b"}
	got, _ := checkTree(t, files, func(dir string) *check.Options {
		return &check.Options{Root: uri.MustParse(dir + "/"), Exclude: scope.Patterns{pattern(t, "file://h/*")}}
	})
	if want := "/b.html ok; /sub/c.html broken"; got != want {
		t.Errorf("root: got %s, want %s", got, want)
	}
	got, _ = checkTree(t, files, func(string) *check.Options {
		return &check.Options{Base: uri.MustParse("http://site/docs/"), Skip: func(uri.URI) string { return "offline" }}
	})
	if want := "http://h/d not checkable; http://site/b.html not checkable; http://site/docs/sub/c.html not checkable"; got != want {
		t.Errorf("base: got %s, want %s", got, want)
	}
}

// TestBaseline: problems of an earlier report do not count, unless another document has them.
func TestBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var report strings.Builder
	check1 := func(b *check.Baseline) (map[string]*check.Result, check.Summary) {
		report.Reset()
		j := check.NewJSONReport(&report)
		got := map[string]*check.Result{}
		sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse("file://" + dir + "/")}, &check.Options{Baseline: b,
			Done: func(r *check.Result) { j.Add(r); got[filepath.Base(r.Name())] = r }})
		if err = errors.Join(err, j.Close(sum)); err != nil || !json.Valid([]byte(report.String())) {
			t.Fatalf("got %v and the report %s", err, report.String())
		}
		return got, sum
	}
	write("a.md", "[x](old) [y](moved) data:,ok")
	if _, sum := check1(nil); sum.First == nil || sum.Known != 0 {
		t.Fatalf("got %+v, want two new problems", sum)
	}
	b, err := check.ReadBaseline(strings.NewReader(report.String()))
	if err != nil {
		t.Fatal(err)
	}
	write("a.md", "\n\n[x](old) data:,ok [y](moved)")
	if _, sum := check1(b); sum.First != nil || sum.Known != 2 {
		t.Errorf("got %+v, want two known problems", sum)
	}
	write("b.md", "[z](new) [y](moved)")
	if got, sum := check1(b); sum.First == nil || sum.Known != 1 || !got["old"].Known || got["moved"].Known || got["new"].Known {
		t.Errorf("got %+v, want one known problem and two new", sum)
	}
	for _, bad := range []string{"", "{}", "[1]", `{"version":2}`} {
		if _, err := check.ReadBaseline(strings.NewReader(bad)); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%q: got %v, want ErrLocal", bad, err)
		}
	}
}

func TestWriteGitHub(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := &check.Result{URI: uri.MustParse("http://h/100%25"), Verdict: check.Broken, Err: fetch.Errorf(fetch.ErrNotFound, "a\nb"), Places: []check.Place{
		{Source: uri.MustParse("file:///w/a,b.md"), Line: 3}, {Source: uri.MustParse("http://h/")}}}
	path := func(p check.Place) string { return strings.TrimPrefix(p.Source.String(), "file:///w/") }
	for _, r := range []*check.Result{r, {Verdict: check.OK, Places: r.Places}, {Verdict: check.Broken, Known: true, Places: r.Places}} {
		if err := check.WriteGitHub(&b, r, path); err != nil {
			t.Fatal(err)
		}
	}
	if want := "::error file=a%2Cb.md,line=3,title=broken link::http://h/100%2525: a%0Ab\n::error file=http%3A//h/,title=broken link::http://h/100%2525: a%0Ab\n"; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}
