package warc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// makePackage packs archives.
func makePackage(t *testing.T, to string, names ...string) {
	t.Helper()
	files, err := warc.Files(names...)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	o := &warc.PackOptions{Title: "A site", Dir: t.TempDir(), Damaged: func(f warc.Fault) { t.Error(f) }}
	if err := warc.Pack(&b, o, files); err != nil {
		t.Fatal(err)
	}
	write(t, to, b.Bytes())
}

// A package answers as its archives do: by its index, and also without.
func TestPackageAnswersAsArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, other, to := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "b.warc.zst"), filepath.Join(dir, "site.wacz")
	base := site(t, name, nil)
	base2 := site(t, other, nil)
	makePackage(t, to, name, other)
	if is, err := warc.CheckPackage(to, func(fault string) { t.Error(fault) }); !is || err != nil {
		t.Errorf("got %v, %v; want a package", is, err)
	}
	without := filepath.Join(dir, "without.wacz") // its index has another name, so that it is not used
	spoiled := contentOf(t, to)
	copy(spoiled[bytes.LastIndex(spoiled, []byte("indexes/index.idx")):], "indexes/index.abc")
	write(t, without, spoiled)
	for _, u := range []string{base + "/one", base + "/same2", base2 + "/same1", base + "/none", base + "/nothing"} {
		want, werr := replayed(t, u, nil, name, other)
		for _, p := range []string{to, without} {
			if got, err := replayed(t, u, nil, p); got != want || fetch.KindOf(err) != fetch.KindOf(werr) {
				t.Errorf("%s of %s: got %.50q, %v; want %.50q, %v", u, filepath.Base(p), got, err, want, werr)
			}
		}
	}
	a, _ := opened(t, warc.OpenArchive, to)
	if got := contents(t, a, warc.Query{Scheme: "http", Host: strings.TrimPrefix(base, "http://")}); len(got) != 4 {
		t.Errorf("got %d captures, want 4", len(got))
	}
}

// Archives can be copied out of a package, and a new archive can omit what a package has.
func TestPackageAsSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, to, again := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "site.wacz"), filepath.Join(dir, "again.warc.gz")
	site(t, name, nil)
	makePackage(t, to, name)
	copyTo(t, &warc.CopyOptions{Name: again}, to)
	if !bytes.Equal(contentOf(t, again), contentOf(t, name)) {
		t.Error("got another archive, want the one that was packed")
	}
	known, err := warc.OpenKnown(handlers(), dir, to)
	if err != nil {
		t.Fatal(err)
	}
	defer known.Close()
	second := filepath.Join(dir, "second.warc.gz")
	site(t, second, &warc.Options{Known: known}) // on another port, so by digest
	if got := types(records(t, second)); strings.Contains(got, "resource") || strings.Count(got, "revisit") < 4 {
		t.Errorf("got %s, want revisits", got)
	}
}

// A line of an index selects one record, whatever others there are of its URI and time.
func TestPick(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, later := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "b.warc.gz")
	ftp := ftpSite(t) + "/pub/a.txt"
	base := site(t, name, nil)
	capture(t, later, nil, nil, ftp, base+"/one")
	a, c := opened(t, warc.OpenArchive, name, later)
	for line := range strings.Lines(indexText(t, name, later)) {
		pick, err := a.PickLine(line)
		if err != nil || !pick.IsDocument() {
			t.Fatalf("%s: got %v, want a document", line, err)
		}
		d, err := c.Get(pick.In(context.Background()), uri.MustParse(pick.URI), nil)
		raw, rerr := pick.Payload()
		if rerr != nil {
			t.Fatal(rerr)
		}
		payload, rerr := io.ReadAll(raw)
		raw.Close()
		if rerr != nil {
			t.Fatal(rerr)
		}
		if strings.Contains(line, `"status":"404"`) {
			if fetch.KindOf(err) != fetch.ErrNotFound || !strings.HasPrefix(string(payload), "404 page not found") {
				t.Errorf("%s: got %v and %q, want the page of the failure", line, err, payload)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(d.Body)
		if err != nil || !bytes.Equal(b, payload) || len(b) < 5 {
			t.Errorf("%s: got %.50q, %v; want %.50q", line, b, err, payload)
		}
		d.Body.Close()
	}
	wget := ` 20261120164701 ` + base + `/one text/html 200 X - - 0 c.warc.gz <urn:uuid:1>`
	for line, want := range map[string]string{
		"no index at all": "not a line of an index", base + "/one" + wget: "which is not one of the archives",
		`h)/ 20261123064452 http://h/ text/html 200 X - - 10 7 c.warc.gz`:              "about c.warc.gz",
		`h)/ 20261123064452 http://h/ text/html 200 X - 7 c.warc.gz`:                   "about c.warc.gz",
		`h)/ 20261123064452 {"url":"gopher://h/","offset":"0","filename":"a.warc.gz"}`: "no record of gopher://h/ at byte 0",
	} {
		if _, err := a.PickLine(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", line, err, want)
		}
	}
}

// The error about a package names it once, and what it contains.
func TestCollectionIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"a.json": `{"profile": "multi-wacz-package", "resources": [{"path": "https://h.example/b.wacz"}]}`, "b.wacz": "PK\x03\x04"} {
		at := filepath.Join(t.TempDir(), name)
		write(t, at, []byte(text))
		_, err := warc.OpenArchive(handlers(), at)
		if err == nil || strings.Count(err.Error(), at) != 1 || name == "a.json" && (fetch.KindOf(err) != fetch.ErrUnsupported || !strings.HasSuffix(err.Error(), ": https://h.example/b.wacz")) {
			t.Errorf("%s: got %v (%s), want an error that names the file once, and the package", name, err, fetch.KindOf(err))
		}
	}
}

// Whoever opens a package learns that one of its files does not match its hash. The records that do not match are refused by their own digests.
func TestHashesOfAPackageAreCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, to := filepath.Join(dir, "a.warc"), filepath.Join(dir, "site.wacz")
	base := site(t, name, nil)
	makePackage(t, to, name)
	whole := contentOf(t, to)
	for what, open := range map[string]func(...string) (*warc.Archive, error){
		"OpenArchive": func(names ...string) (*warc.Archive, error) { return warc.OpenArchive(handlers(), names...) },
		"OpenSparse":  func(names ...string) (*warc.Archive, error) { return warc.OpenSparse(handlers(), names...) },
	} {
		for _, changed := range []bool{false, true} {
			b, want := bytes.Clone(whole), "[]"
			if changed {
				b[bytes.Index(b, []byte("WARC-Target-URI: "+base+"/same2"))] ^= 1
				want = "[byte -1: " + to + ": the hash of archive/a.warc does not match datapackage.json]"
			}
			write(t, to, b)
			a, err := open(to)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(a.Damage()); got != want {
				t.Errorf("%s, changed %t: got %s, want %s", what, changed, got, want)
			}
			if text, err := replayed(t, base+"/one", nil, to); err != nil || text == "" {
				t.Errorf("%s, changed %t: got %q, %v; want the other document", what, changed, text, err)
			}
			a.Close()
		}
	}
}
