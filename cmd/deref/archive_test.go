package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// TestDemoFromArchive writes every document of the demonstration to an archive, stops the servers, and dereferences all documents from the
// archive.
func TestDemoFromArchive(t *testing.T) {
	long(t, "many commands or processes")
	for _, name := range []string{"demo.warc.gz", "demo.warc.zst"} {
		t.Run(name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), name)
			sights := captureDemo(t, name)
			c := archiveClient(t, name)
			defer c.Close()
			visitAll(t, c, sights)
			if strings.HasSuffix(name, ".gz") {
				all := grammar(t, name)
				follows(t, all)
				sameFields(t, all)
				extractAll(t, c, name, sights)
			}
			readPackage(t, name, sights)
			seenByCheck(t, name)
		})
	}
}

// archiveClient returns a Client that reads archives.
func archiveClient(t *testing.T, names ...string) *fetch.Client {
	t.Helper()
	a, err := warc.OpenArchive(schemes.All(nil), names...)
	if err != nil {
		t.Fatal(err)
	}
	return fetch.New(a.Schemes()...)
}

// record makes a Client write an archive. end closes the archive.
func record(t *testing.T, c *fetch.Client, name string, o *warc.Options) (end func()) {
	t.Helper()
	w, err := warc.Create(name, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Recorder = warc.NewRecorder(w)
	return func() {
		t.Helper()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// captureDemo writes the archive and stops the servers.
func captureDemo(t *testing.T, name string) []testservers.Document {
	t.Helper()
	servers, sights, stop := startServers(t)
	defer stop()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	testservers.Join(c, servers)
	end := record(t, c, name, &warc.Options{Index: true})
	visitAll(t, c, sights)
	end()
	return sights
}

func visitAll(t *testing.T, c *fetch.Client, sights []testservers.Document) {
	t.Helper()
	for _, s := range sights {
		if _, err := testservers.Fetch(t.Context(), c, uri.MustParse(s.URI), s); err != nil {
			t.Errorf("%s: got %s: %v, want a document", s.URI, app.Class(err), err)
		}
	}
	if len(sights) < 25 {
		t.Errorf("got %d documents, want at least 25", len(sights))
	}
}

// seenByCheck verifies the archive with package warc, and saves it for other programs if DEREF_KEEP names a directory.
func seenByCheck(t *testing.T, name string) {
	t.Helper()
	text := contents(t, name)
	tally, err := warc.Check(strings.NewReader(text), func(f warc.Fault) { t.Errorf("got fault %s, want none", f) })
	if err != nil || tally.Records < 60 {
		t.Errorf("got %+v, %v; want at least 60 records", tally, err)
	}
	if dir := os.Getenv("DEREF_KEEP"); dir != "" {
		write(t, filepath.Join(dir, filepath.Base(name)), text)
	}
}

// Damage in an archive is reported, and hides only the damaged record.
func TestDamagedArchive(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page "+r.URL.Path) }))
	defer server.Close()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	args := []string{"-s", "--warc", name}
	for _, page := range []string{"/1", "/2", "/3"} {
		args = append(args, server.URL+page)
	}
	if _, errs, code := invoked(t, input{}, args...); code != 0 {
		t.Fatalf("got exit status %d, want success: %s", code, errs)
	}
	write(t, name, strings.Replace(contents(t, name), "page /2", "XXXX /2", 1)) // short data is stored uncompressed
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--from-warc", name, server.URL + "/1"}, 0, "page /1"},
		{[]string{"--from-warc", name, server.URL + "/2"}, 8, ""},
		{[]string{"--from-warc", name, server.URL + "/3"}, 0, "page /3"},
		{[]string{"warc", "cat", name, server.URL + "/3"}, 8, "page /3"},
		{[]string{"warc", "ls", name}, 8, server.URL + "/3"},
		{[]string{"warc", "check", name}, 8, "checksum"},
	} {
		out, errs, code := invoked(t, input{}, c.args...)
		if code != c.code || !strings.Contains(out, c.want) || !strings.Contains(errs+out, "checksum") {
			t.Errorf("%v: got exit status %d, %q and %q, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// readPackage packs an archive of the demonstration, and dereferences all documents from the package.
func readPackage(t *testing.T, name string, sights []testservers.Document) {
	t.Helper()
	to := strings.TrimSuffix(name, filepath.Ext(name)) + ".wacz"
	if out, err := derefCommand(t)("warc", "pack", "-o", to, name).CombinedOutput(); err != nil {
		t.Fatalf("got %v, want a package: %s", err, out)
	}
	c := archiveClient(t, to)
	defer c.Close()
	visitAll(t, c, sights)
	if dir := os.Getenv("DEREF_KEEP"); dir != "" {
		write(t, filepath.Join(dir, filepath.Base(to)), contents(t, to))
	}
}

// extractAll extracts each document by its URI and by its line in the index. c reads from the archive.
func extractAll(t *testing.T, c *fetch.Client, name string, sights []testservers.Document) {
	t.Helper()
	lines := strings.Split(contents(t, strings.TrimSuffix(name, ".warc.gz")+".cdxj"), "\n")
	n, home := 0, t.TempDir()
	for _, s := range sights {
		u := uri.MustParse(s.URI)
		if s.Search {
			hit, err := testservers.FirstHit(t.Context(), c, u)
			if err != nil {
				t.Fatal(err)
			}
			u = hit
		}
		if s.Options != nil {
			continue // the command has flags for them
		}
		choices := []string{u.String()}
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `{"url":"`+u.String()+`"`) }); i >= 0 {
			choices = append(choices, lines[i])
			n++
		}
		for _, which := range choices {
			got, errs, code := invoked(t, input{home: home}, "warc", "extract", name, which)
			isSession := u.Scheme() == "telnet" || u.Scheme() == "telnets" || u.Scheme() == "rlogin" || u.Scheme() == "tn3270"
			if got != string(s.Want) || code != 0 && !isSession {
				t.Errorf("%s: got %.60q, exit code %d, %s; want %.60q", which, got, code, errs, s.Want)
			}
		}
	}
	if n < 20 {
		t.Errorf("got lines of %d documents, want at least 20", n)
	}
}
