package warc_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// A long archive without an index takes no memory for its URIs, and is read like one with an index: documents, contents, and a part of these from
// a place on. Nothing is left of the index that is written for it.
func TestLongArchiveIsIndexed(t *testing.T) {
	const n = 1200 // whose index is longer than what a spool holds in memory
	name, prefix := manyDocuments(t, n)
	files := filepath.Join(t.TempDir(), "a.warc.gz")
	site := ftpSite(t)
	capture(t, files, nil, nil, site+"/pub/", site+"/pub/a.txt", site+"/pub/none", site+"/pub/a.txt")
	t.Setenv("TMPDIR", t.TempDir())
	a, c := opened(t, warc.OpenArchive, name, files)
	for _, want := range []string{"298", "3"} {
		if got, err := read(c, prefix+want); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if got, err := read(c, site+"/pub/a.txt"); got != "a document\n" || err != nil {
		t.Errorf("got %q, %v, want the document", got, err)
	}
	if _, err := read(c, site+"/pub/none"); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %v, want the captured failure", err)
	}
	all := contents(t, a, warc.Query{})
	if got := len(all); got < n+3 || got > n+4 { // the two captures of a.txt are one entry within a second
		t.Errorf("got %d captures, want %d or one less", got, n+4)
	}
	if i := slices.IndexFunc(all, func(e warc.Entry) bool { return e.Status != 0 }); i >= 0 {
		t.Errorf("got %+v, want a status of HTTP only", all[i])
	}
	checkPlaces(t, a, all)
	a.Close()
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 || err != nil {
		t.Errorf("got %v, %v; want nothing left", left, err)
	}
}

// Without room for a long index, the archive cannot be opened. A short one needs none.
func TestLongArchiveWithoutRoom(t *testing.T) {
	long, _ := manyDocuments(t, 1200) // whose index is longer than what a spool holds in memory
	short, prefix := manyDocuments(t, 10)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", os.Getenv("TMPDIR")) // Windows
	if _, err := warc.OpenArchive(handlers(), long); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, want %s", err, fetch.ErrLocal)
	}
	_, c := opened(t, warc.OpenArchive, short)
	if got, err := read(c, prefix+"8"); got != "8" || err != nil {
		t.Errorf("got %q, %v; want 8", got, err)
	}
}

// opened opens an archive with open, and a Client that reads from it. Both are closed with the test.
func opened(t *testing.T, open func([]fetch.Scheme, ...string) (*warc.Archive, error), names ...string) (*warc.Archive, *fetch.Client) {
	t.Helper()
	a, err := open(handlers(), names...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	c := fetch.New(a.Schemes()...)
	t.Cleanup(func() { c.Close() })
	return a, c
}

func contents(t *testing.T, a *warc.Archive, q warc.Query) (list []warc.Entry) {
	t.Helper()
	for e, err := range a.Contents(q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// checkPlaces compares the contents from places on, and those of days, with the same parts of all.
func checkPlaces(t *testing.T, a *warc.Archive, all []warc.Entry) {
	t.Helper()
	for i, e := range all {
		if i > 0 && all[i-1].Place == e.Place || i%200 > 1 {
			continue
		}
		if got := contents(t, a, warc.Query{From: e.Place}); !slices.Equal(got, all[i:]) {
			t.Errorf("from %.80q: got %d captures, want %d", e.Place, len(got), len(all)-i)
		}
		day := e.Date.Format("2006-01-02")
		want := slices.DeleteFunc(slices.Clone(all), func(e warc.Entry) bool { return e.Date.Format("2006-01-02") != day })
		if got := contents(t, a, warc.Query{Day: day}); !slices.Equal(got, want) {
			t.Errorf("%s: got %d captures, want %d", day, len(got), len(want))
		}
	}
	for _, bad := range []string{"x", "-1 k", strings.Repeat("9", 30)} {
		for _, err := range a.Contents(warc.Query{From: bad}) {
			if fetch.KindOf(err) != fetch.ErrRefusedURL {
				t.Errorf("from %s: got %v, want %s", bad, err, fetch.ErrRefusedURL)
			}
		}
	}
	if got := contents(t, a, warc.Query{From: "99 k"}); len(got) > 0 {
		t.Errorf("after the last file: got %d captures, want none", len(got))
	}
}

// manyDocuments writes an archive of n documents, which are their numbers, and returns its name and the beginning of their URIs.
func manyDocuments(t *testing.T, n int) (name, prefix string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "a.warc")
	prefix = "gopher://h/0/" + strings.Repeat("long", 50) + "/"
	w, err := warc.Create(name, &warc.Options{Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s := fmt.Sprint(i)
		if err := w.Write(&warc.Record{Fields: warc.Fields{{Name: "WARC-Type", Value: warc.Resource}, {Name: "WARC-Target-URI", Value: prefix + s},
			{Name: "WARC-Date", Value: "2026-01-01T00:00:00Z"}}, Size: int64(len(s)), Block: strings.NewReader(s)}); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, w)
	return name, prefix
}

// An archive that is read later is not read for a record whose place is known.
func TestSparseArchiveIsReadLater(t *testing.T) {
	t.Parallel()
	const n = 5
	name, prefix := manyDocuments(t, n)
	a, c := opened(t, warc.OpenSparse, name)
	line := fmt.Sprintf(`x 2026 {"url": "%s0", "offset": "%d", "filename": "a.warc"}`, prefix, records(t, name)[1].Offset)
	if _, err := a.PickLine(line); err != nil {
		t.Errorf("%s: got %v", line, err)
	}
	if got, err := read(c, prefix+"3"); got != "3" || err != nil {
		t.Errorf("got %q, %v; want 3", got, err)
	}
}

// Damage is reported once, however often the archive is read. An archive that is missing is an error at once.
func TestSparseArchiveReportsDamageOnce(t *testing.T) {
	t.Parallel()
	name, prefix := manyDocuments(t, 10)
	b := contentOf(t, name)
	at := bytes.Index(b, []byte(prefix+"5"))
	at = bytes.LastIndex(b[:at], []byte("WARC/1"))
	copy(b[at:], "JUNK")
	write(t, name, b)
	a, c := opened(t, warc.OpenSparse, name)
	if got := a.Damage(); len(got) != 0 {
		t.Errorf("before any document: got %v, want nothing to be read", got)
	}
	for _, want := range []string{"7", "2", ""} {
		if want == "" {
			for range a.Contents(warc.Query{}) {
			}
		} else if got, err := read(c, prefix+want); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if got := a.Damage(); len(got) != 1 || got[0].Offset != int64(at) {
			t.Errorf("after %q: got %v, want damage at byte %d", want, got, at)
		}
	}
	if _, err := warc.OpenSparse(handlers(), name+".none"); err == nil || !strings.Contains(err.Error(), "a.warc.none") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

// Requests for several documents at a time do not disturb each other.
func TestSparseArchiveIsConcurrent(t *testing.T) {
	t.Parallel()
	name, prefix := manyDocuments(t, 20)
	_, c := opened(t, warc.OpenSparse, name)
	errs := make(chan error)
	for i := range 20 {
		go func() {
			want := fmt.Sprint(i)
			got, err := read(c, prefix+want)
			if err == nil && got != want {
				err = fmt.Errorf("got %q, want %q", got, want)
			}
			errs <- err
		}()
	}
	for range 20 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
