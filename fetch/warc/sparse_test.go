package warc_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
)

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

// Finding a document in an archive without an index takes no memory for the others.
func TestSparseArchiveNotesOneURI(t *testing.T) {
	t.Parallel()
	const n = 500
	name, prefix := manyDocuments(t, n)
	a, c := opened(t, warc.OpenSparse, name)
	for i, want := range []string{"498", "3"} {
		if got, err := read(c, prefix+want); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if got := a.Noted(); got != i+1 {
			t.Errorf("after %d documents: got %d URIs in memory", i+1, got)
		}
	}
	if got := contents(t, a, warc.Query{}); len(got) != n || a.Noted() != n {
		t.Errorf("got %d captures of %d URIs, want %d", len(got), a.Noted(), n)
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
	if _, err := warc.OpenSparse(schemes.All(nil), name+".none"); err == nil || !strings.Contains(err.Error(), "a.warc.none") {
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
