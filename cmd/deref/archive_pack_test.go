package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// readPackage packs an archive of the demonstration, and dereferences all documents from the package.
func readPackage(t *testing.T, name string, sights []testservers.Document) {
	t.Helper()
	to := strings.TrimSuffix(name, filepath.Ext(name)) + ".wacz"
	if out, err := derefCommand(t)("warc", "pack", "-o", to, name).CombinedOutput(); err != nil {
		t.Fatalf("got %v, want a package: %s", err, out)
	}
	a, err := warc.OpenArchive(schemes.All(nil), to)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(a.Schemes()...)
	defer c.Close()
	visitAll(t, c, sights)
	if dir := os.Getenv("DEREF_KEEP"); dir != "" {
		b, err := os.ReadFile(to)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(to)), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// extractAll extracts each document by its URI and by its line in the index. c reads from the archive.
func extractAll(t *testing.T, c *fetch.Client, name string, sights []testservers.Document) {
	t.Helper()
	index, err := os.ReadFile(strings.TrimSuffix(name, ".warc.gz") + ".cdxj")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(index), "\n")
	n, home := 0, t.TempDir()
	for _, s := range sights {
		u := uri.MustParse(s.URI)
		if s.Search {
			if u, err = testservers.FirstHit(t.Context(), c, u); err != nil {
				t.Fatal(err)
			}
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
