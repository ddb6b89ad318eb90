package warc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher/gophertest"
)

// MergeIndexes has the places that Stored reports, from indexes and from an unfinished archive without one, and only those that are kept.
func TestMergeIndexes(t *testing.T) {
	t.Parallel()
	s := gophertest.NewServer(fstest.MapFS{"a": {Data: []byte("a")}, "b": {Data: []byte("bb")}}, nil)
	t.Cleanup(s.Close)
	dir, stored := t.TempDir(), map[string]bool{}
	for i := range 2 {
		o := &warc.Options{Index: true, Size: 1, Stored: func(r warc.StoredRecord) { stored[fmt.Sprint(r.Target, " ", r.File, " ", r.Offset)] = true }}
		capture(t, filepath.Join(dir, fmt.Sprintf("w%d.warc.gz", i)), o, nil, s.URL+"/0/a", s.URL+"/0/missing", s.URL+"/0/b")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil || len(names) != 6 || len(stored) != 6 {
		t.Fatalf("got the archives %v, %v with the records %v, want six", names, err, stored)
	}
	left := names[0] + warc.Unfinished
	if err := os.Rename(names[0], left); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(strings.Replace(names[0], ".warc.gz", ".cdxj", 1)); err != nil {
		t.Fatal(err)
	}
	files, err := warc.Files(names[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, warc.File{Path: left, Base: filepath.Base(names[0])})
	for _, keep := range []string{"/", "/0/a"} {
		var out bytes.Buffer
		lines, err := warc.MergeIndexes(&out, dir, files, func(target, _ string, _ int64) bool { return strings.Contains(target, keep) },
			func(f warc.Fault) { t.Error(f) })
		got, want := map[string]bool{}, map[string]bool{}
		for line := range strings.Lines(out.String()) {
			var j struct {
				URL, Filename string
				Offset        int64 `json:",string"`
			}
			if err := json.Unmarshal([]byte(line[strings.IndexByte(line, '{'):]), &j); err != nil {
				t.Fatal(err)
			}
			got[fmt.Sprint(strings.TrimPrefix(j.URL, "urn:dialogue:"), " ", j.Filename, " ", j.Offset)] = true
		}
		for place := range stored {
			if strings.Contains(place, keep) {
				want[place] = true
			}
		}
		if err != nil || !maps.Equal(got, want) || lines != int64(len(want)) {
			t.Errorf("got %d lines, %v, %v, want %v", lines, err, got, want)
		}
	}
}

// kept returns the types of the records that Want selects, with their URIs.
func kept(t *testing.T, o *warc.CopyOptions, base string, names ...string) (string, warc.Copied) {
	t.Helper()
	o.Name = filepath.Join(t.TempDir(), "kept.warc.gz")
	n := copyTo(t, o, names...)
	checked(t, o.Name)
	var words []string
	for _, r := range records(t, o.Name) {
		target := strings.TrimPrefix(r.Target(), base)
		if i := strings.Index(target, "/pub"); i > 0 {
			target = target[:strings.Index(target, ":")] + target[i:]
		}
		words = append(words, strings.TrimSpace(r.Type()+" "+target))
	}
	return strings.Join(words, ", "), n
}

// Selecting one record selects its capture, and the original of a revisit.
func TestFilterKeepsCaptures(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	base := site(t, name, nil)
	for _, tt := range []struct {
		label string
		want  func(*warc.Fact) bool
		kept  string
	}{
		{"a URI", func(f *warc.Fact) bool { return f.URI == base+"/one" }, "warcinfo, response /one, request /one"},
		{"a status", func(f *warc.Fact) bool { return f.Status == 404 }, "warcinfo, response /none, request /none"},
		{"a request", func(f *warc.Fact) bool { return f.Type == warc.Request && f.URI == base+"/one" }, "warcinfo, response /one, request /one"},
		{"ftp", func(f *warc.Fact) bool { return strings.HasPrefix(f.URI, "ftp:") && f.Type == warc.Resource },
			"warcinfo, resource ftp/pub/a.txt, metadata urn/pub/a.txt"},
		{"a revisit", func(f *warc.Fact) bool { return f.URI == base+"/same2" },
			"warcinfo, response /same1, request /same1, revisit /same2, request /same2"},
		{"a request of a revisit", func(f *warc.Fact) bool { return f.URI == base+"/same2" && f.Type == warc.Request },
			"warcinfo, response /same1, request /same1, revisit /same2, request /same2"},
		{"nothing", func(*warc.Fact) bool { return false }, ""},
	} {
		got, n := kept(t, &warc.CopyOptions{Want: tt.want}, base, name)
		if got != tt.kept || n.Missing != 0 {
			t.Errorf("%s: got %s, %d missing; want %s", tt.label, got, n.Missing, tt.kept)
		}
	}
}

// A revisit whose original is in another archive is reported unless that archive is read, too.
func TestFilterReportsMissingOriginals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, first, rest := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "first.warc"), filepath.Join(dir, "rest.warc")
	base := site(t, name, nil)
	isFirst := func(f *warc.Fact) bool { return f.URI == base+"/same1" }
	copyTo(t, &warc.CopyOptions{Name: first, Want: isFirst}, name)
	repeats := func(f *warc.Fact) bool { return f.URI == base+"/same2" }
	copyTo(t, &warc.CopyOptions{Name: rest, Want: repeats}, name)
	got, n := kept(t, &warc.CopyOptions{Want: func(f *warc.Fact) bool { return repeats(f) }}, base, rest)
	if n.Missing != 0 { // rest has the original, too
		t.Errorf("got %s, %d missing; want 0", got, n.Missing)
	}
	onlyRevisit := filepath.Join(dir, "revisit.warc")
	all := records(t, rest)
	b := contentOf(t, rest)
	if err := writeParts(onlyRevisit, b[:all[1].Offset], b[all[3].Offset:]); err != nil {
		t.Fatal(err)
	}
	var reported []string
	report := func(f warc.Fault) { reported = append(reported, f.Text) }
	want := "warcinfo, revisit /same2, request /same2"
	if got, n = kept(t, &warc.CopyOptions{Want: repeats, Report: report}, base, onlyRevisit); got != want || n.Missing != 1 || len(reported) != 1 ||
		!strings.Contains(reported[0], base+"/same2") {
		t.Errorf("got %s, %d missing, %q; want %s, 1", got, n.Missing, reported, want)
	}
	want = "warcinfo, revisit /same2, request /same2, response /same1, request /same1" // both have the same warcinfo record
	if got, n = kept(t, &warc.CopyOptions{Want: repeats}, base, onlyRevisit, first); got != want || n.Missing != 0 {
		t.Errorf("got %s, %d missing; want %s, 0", got, n.Missing, want)
	}
}

// Merging leaves out repeated records, and each of the rotated archives has the warcinfo record of its records.
func TestMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, to := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "b.warc"), filepath.Join(dir, "to.warc.gz")
	site(t, a, nil)
	site(t, b, nil)
	total := len(records(t, a)) + len(records(t, b))
	n := copyTo(t, &warc.CopyOptions{Name: to}, a, b, a)
	if got := checked(t, to); got != total || n.Records != total || n.Repeated != len(records(t, a)) {
		t.Errorf("got %d records, %+v; want %d", got, n, total)
	}
	n = copyTo(t, &warc.CopyOptions{Name: to, Size: 1000}, a, b)
	infos := 0
	for i := range n.Files {
		name := warc.Numbered(to, i)
		checked(t, name)
		all := records(t, name)
		if all[0].Type() != warc.Warcinfo {
			t.Errorf("%s begins with %s", name, types(all))
		}
		info := ""
		for _, r := range all {
			if r.Type() == warc.Warcinfo {
				info = r.ID()
				infos++
			} else if got := r.Fields.Get("WARC-Warcinfo-ID"); got != info {
				t.Errorf("%s: got %s of %s, want %s", name, r.Type(), got, info)
			}
		}
	}
	if n.Files < 3 || n.Records-infos != total-2 {
		t.Errorf("got %+v with %d warcinfo records, want %d others", n, infos, total-2)
	}
	var names []string
	for i := range n.Files {
		names = append(names, warc.Numbered(to, i))
	}
	if again := copyTo(t, &warc.CopyOptions{Name: to}, names...); again.Records != total {
		t.Errorf("got %+v, want the %d records again", again, total)
	}
}
