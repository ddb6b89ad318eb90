package warc_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
)

// A versionedSite is a site by several protocols. Its documents contain what no archive should have twice.
type versionedSite struct {
	files fstest.MapFS
	uris  []string
}

const unchangedText = "What an earlier archive has, no later one needs.\n"

func newVersionedSite(t *testing.T) *versionedSite {
	s := &versionedSite{files: fstest.MapFS{}}
	for _, name := range []string{"a", "b", "c"} {
		s.files["pub/"+name+".txt"] = &fstest.MapFile{Data: []byte(strings.Repeat("document "+name+": "+unchangedText, 30))}
	}
	f := ftptest.NewServer(s.files, nil)
	t.Cleanup(f.Close)
	g := gophertest.NewServer(s.files, nil)
	t.Cleanup(g.Close)
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		text := "page " + r.URL.Path + strings.Repeat(unchangedText, 30)
		if r.URL.Path == "/tagged" {
			w.Header().Set("Etag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
	})
	s.uris = []string{page + "/tagged", page + "/plain", f.URL + "/pub/", f.URL + "/pub/a.txt", f.URL + "/pub/b.txt", f.URL + "/pub/c.txt", g.URL + "/1/pub",
		g.URL + "/0/pub/a.txt"}
	return s
}

// again captures the site with the known documents of earlier archives, and returns what the user got.
func (s *versionedSite) again(t *testing.T, name string, known ...string) map[string]string {
	t.Helper()
	list := handlers()
	k, err := warc.OpenKnown(list, filepath.Dir(name), known...)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	w, err := warc.Create(name, &warc.Options{Known: k, Index: true})
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(k.Schemes(list)...)
	defer c.Close()
	c.Recorder = warc.NewRecorder(w)
	got := map[string]string{}
	for _, u := range s.uris {
		text, err := read(c, u)
		if err != nil {
			t.Fatal(err)
		}
		got[u] = text
	}
	finish(t, w)
	return got
}

// A second run over an unchanged site writes no document again, whatever the first one left: an index, an archive, or both.
func TestSecondRunWritesNoDocument(t *testing.T) {
	s := newVersionedSite(t)
	dir := t.TempDir()
	first := filepath.Join(dir, "first.warc.gz")
	want := s.again(t, first)
	for _, known := range []string{"first.cdxj", "first.warc.gz", "copy.warc.gz"} {
		if known == "copy.warc.gz" { // without an index
			write(t, filepath.Join(dir, known), contentOf(t, first))
		}
		second := filepath.Join(dir, "second-"+known+".warc.gz")
		got := s.again(t, second, filepath.Join(dir, known))
		all := records(t, second)
		for _, r := range all {
			if kind := r.Type(); kind == warc.Response || kind == warc.Resource || kind == warc.Conversion {
				t.Errorf("with %s: got a %s of %s, want revisits", known, kind, r.Target())
			}
			if n := strings.Count(r.block, unchangedText); n > 3 {
				t.Errorf("with %s: got %d lines of the document in the %s record of %s, want at most 3", known, n, r.Type(), r.Target())
			}
			if strings.HasPrefix(r.Target(), "urn:dialogue:ftp:") && strings.Contains(r.block, "RETR") {
				t.Errorf("with %s: got a transfer of an unchanged file:\n%s", known, r.block)
			}
		}
		is, err := os.Stat(second)
		if most := int64(1024 * (len(s.uris) + 1)); err != nil || is.Size() > most {
			t.Errorf("with %s: got %d bytes, %v; want at most %d", known, is.Size(), err, most)
		}
		checked(t, second)
		for _, u := range s.uris {
			if got[u] != want[u] {
				t.Errorf("with %s: %s: the user got %q, want %q", known, u, got[u], want[u])
			}
			if text, err := replayed(t, u, nil, second, first); text != want[u] || err != nil {
				t.Errorf("with %s: %s from the archives: got %.100q, %v; want %.100q", known, u, text, err, want[u])
			}
		}
		if got := entriesOf(t, s.uris[2], second, first); got != "a.txt b.txt c.txt" {
			t.Errorf("with %s: got the entries %q, want those of the first run", known, got)
		}
	}
}

// A changed document is transferred and written, and so is one whose archive is damaged.
func TestChangedDocumentIsWritten(t *testing.T) {
	s := newVersionedSite(t)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.warc"), filepath.Join(dir, "second.warc")
	s.again(t, first)
	changed := s.uris[3]
	s.files["pub/a.txt"] = &fstest.MapFile{Data: []byte("changed\n")}
	if got := s.again(t, second, first)[changed]; got != "changed\n" {
		t.Errorf("got %q, want the changed document", got)
	}
	for _, r := range records(t, second) {
		if r.Target() == changed && (r.Type() != warc.Resource || r.block != "changed\n") {
			t.Errorf("got a %s record with %q, want the changed document", r.Type(), r.block)
		}
	}
	write(t, first, bytes.ReplaceAll(contentOf(t, first), []byte("document b: What"), []byte("document X: What")))
	third := filepath.Join(dir, "third.warc")
	if got := s.again(t, third, first)[s.uris[4]]; !strings.HasPrefix(got, "document b: What") {
		t.Errorf("from a damaged archive: got %.40q, want the document of the server", got)
	}
	for _, r := range records(t, third) {
		if r.Target() == s.uris[4] && r.Type() != warc.Resource {
			t.Errorf("got a %s record of what the damaged archive has no longer, want the document", r.Type())
		}
	}
}

// An index is enough to recognize documents, even if its archive is elsewhere.
func TestIndexWithoutArchive(t *testing.T) {
	s := newVersionedSite(t)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.warc"), filepath.Join(dir, "second.warc")
	s.again(t, first)
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	s.again(t, second, filepath.Join(dir, "first.cdxj"))
	for _, r := range records(t, second) {
		if kind := r.Type(); kind == warc.Response || kind == warc.Resource {
			t.Errorf("got a %s of %s, want a revisit", kind, r.Target())
		}
		if r.Type() == warc.Revisit && (r.Fields.Get("WARC-Refers-To-Target-URI") == "" || r.Fields.Get("WARC-Refers-To-Date") == "") {
			t.Errorf("got a revisit with %v, want the URI and date of the original", r.Fields)
		}
	}
	checked(t, second)
}

// With OnlyAdded, a payload is stored again until AddOriginal has a record of it, the last of which counts. A Recorder of whole payloads stores it again.
func TestAddOriginal(t *testing.T) {
	t.Parallel()
	same := &fstest.MapFile{Data: bytes.Repeat([]byte("same "), 100)}
	s := gophertest.NewServer(fstest.MapFS{"a": same, "b": same, "c": same, "d": same}, nil)
	t.Cleanup(s.Close)
	var stored []warc.StoredRecord
	o := &warc.Options{OnlyAdded: true, Stored: func(r warc.StoredRecord) { stored = append(stored, r) }}
	file := filepath.Join(t.TempDir(), "w.warc.gz")
	w, c := recorderOf(t, file, o)
	defer w.Close()
	defer c.Close()
	for _, name := range []string{"a", "b", "c", "d"} {
		switch name {
		case "c":
			w.AddOriginal(warc.Original{ID: "<urn:uuid:1>", Digest: "md5:1"})
			w.AddOriginal(stored[0].Original)
			w.AddOriginal(stored[1].Original)
		case "d":
			whole := warc.NewRecorder(w)
			whole.Whole = true
			c.Recorder = whole
		}
		if _, err := read(c, s.URL+"/0/"+name); err != nil {
			t.Fatal(err)
		}
	}
	var has []bool
	for _, r := range stored {
		has = append(has, r.Original.Digest != "")
	}
	if want := []bool{true, true, false, true}; !slices.Equal(has, want) || stored[0].Original.Target != stored[0].Target {
		t.Errorf("got %+v, want a payload in each record but the third", stored)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r := warc.NewReader(in)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err != nil {
			t.Fatalf("got %v, want a revisit record", err)
		}
		if rec.Type() == warc.Revisit {
			if got := rec.Fields.Get("WARC-Refers-To"); got != stored[1].Original.ID {
				t.Errorf("got a reference to %s, want that to the last original, %s", got, stored[1].Original.ID)
			}
			return
		}
	}
}
