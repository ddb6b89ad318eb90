package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// TestSecondRunOfEveryScheme captures unchanged documents and listings of all schemes again. The records of each take at most 1 KiB, and the two
// archives together answer as the first one does.
func TestSecondRunOfEveryScheme(t *testing.T) {
	long(t, "all servers")
	servers, sights, stop := startServers(t)
	defer stop()
	for _, s := range servers {
		root := testservers.Document{URI: s.URL + "/"}
		listed := slices.ContainsFunc(sights, func(d testservers.Document) bool { return d.URI == root.URI })
		if !listed && !strings.Contains("smtp wais whois snmp prospero", s.Scheme) {
			sights = append(sights, root)
		}
	}
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.warc.gz"), filepath.Join(dir, "two.warc.gz")
	captureAgain(t, servers, sights, one)
	captureAgain(t, servers, sights, two, filepath.Join(dir, "one.cdxj"))
	f, err := os.Open(two)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sizes, before := map[string]int64{}, int64(0)
	var last *warc.Record
	in := warc.NewReader(f)
	for r, err := in.Next(); err == nil; r, err = in.Next() {
		if last != nil && last.Type() != warc.Warcinfo && last.MediaType() != warc.CertificatesType {
			target := strings.TrimPrefix(last.Target(), "urn:dialogue:")
			sizes[target] += r.Offset - before
			if kind := last.Type(); last.Fields.Get("WARC-Block-Digest") == "" && last.Size > 0 {
				t.Errorf("got no digest of the block of a %s of %s, want one", kind, target)
			}
		}
		copied := *r
		last, before = &copied, r.Offset
	}
	for target, size := range sizes {
		if size > 1024 {
			t.Errorf("%s: got %d bytes in the archive of the second run, want at most 1024", target, size)
		}
	}
	if len(sizes) < 35 {
		t.Errorf("got %d documents, want at least 35", len(sizes))
	}
	for _, s := range sights {
		if want, got := fromArchives(t, s, one), fromArchives(t, s, two, one); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v\nwant %+v", s.URI, got, want)
		}
	}
}

// captureAgain archives documents, with the knowledge of earlier archives.
func captureAgain(t *testing.T, servers []testservers.Running, sights []testservers.Document, name string, known ...string) {
	t.Helper()
	list := schemes.All(nil)
	k, err := warc.OpenKnown(list, filepath.Dir(name), known...)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	c := fetch.New(k.Schemes(list)...)
	defer c.Close()
	testservers.Join(c, servers)
	end := record(t, c, name, &warc.Options{Known: k, Index: true})
	for _, s := range sights {
		if s.Search {
			continue
		}
		if _, _, err := read(t.Context(), c, uri.MustParse(s.URI), s.Options); err != nil {
			t.Errorf("%s: got %v, want the document", s.URI, err)
		}
	}
	end()
}

// An archivedDocument is what archives answer.
type archivedDocument struct {
	Body, Type string
	Header     map[string][]string
	Entries    int
	Err        string
}

// fromArchives returns the document that archives have.
func fromArchives(t *testing.T, s testservers.Document, names ...string) (a archivedDocument) {
	t.Helper()
	c := archiveClient(t, names...)
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse(s.URI), s.Options)
	if err != nil {
		return archivedDocument{Err: err.Error()}
	}
	defer d.Body.Close()
	a.Type, a.Header = d.Type, d.Header
	delete(a.Header, "Date") // of HTTP, which has a head of its own in each archive
	delete(a.Header, "Content-Length")
	if d.Entries != nil {
		for _, err := range d.Entries {
			if err != nil && !errors.Is(err, fetch.ErrInteractive) {
				t.Errorf("%s: got the entry error %v", s.URI, err)
				break
			}
			a.Entries++
		}
		return a
	}
	b, err := io.ReadAll(d.Body)
	if a.Body = string(b); err != nil {
		a.Err = err.Error()
	}
	return a
}
