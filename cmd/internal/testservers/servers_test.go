package testservers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// New users first try the table of `deref serve`: each row names a document or a session.
func TestSamplesExist(t *testing.T) {
	t.Parallel()
	servers, err := Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer Stop(servers)
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for _, s := range servers {
		seen := map[string]bool{}
		for _, path := range s.Samples() {
			if seen[path] {
				t.Errorf("got %s%s twice, want it once", s.URL, path)
			}
			seen[path] = true
			u, err := uri.Parse(s.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			if s.Scheme == "gemini" {
				continue // the certificate is the server's own
			}
			d, err := c.Get(t.Context(), u, nil)
			if err != nil {
				t.Errorf("%s: got %v, want a document", u, err)
				continue
			}
			d.Body.Close()
		}
	}
}

// The lesson of the gateway shows when each protocol was first specified. The specification of nex has no date.
func TestYears(t *testing.T) {
	for _, s := range Servers() {
		if got, known := YearOf(s.Scheme), s.Scheme != "nex" && s.Scheme != "smtp"; known && (got < 1969 || got > 2021) || !known && got != 0 {
			t.Errorf("%s: got the year %d, want one only if its specification has it", s.Scheme, got)
		}
	}
}

// Each test server of a scheme has a row, so that `deref serve` and `deref demo` have it.
func TestEveryServerHasARow(t *testing.T) {
	source, err := os.ReadFile("servers.go")
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join("..", "..", "..", "schemes", "*", "*test"))
	if err != nil || len(dirs) < 15 {
		t.Fatalf("got %d directories of servers and %v, want at least 15", len(dirs), err)
	}
	for _, dir := range dirs {
		if filepath.Base(filepath.Dir(dir)) == "internal" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(dir), "test")
		if !strings.Contains(string(source), "/"+filepath.Base(dir)+`"`) {
			t.Errorf(`no row for %s: add {%q, PORT, start%s%s, []try{{path: "/images/bytes.bin", file: "images/bytes.bin"}}} to Servers`, filepath.ToSlash(dir), name,
				strings.ToUpper(name[:1]), name[1:])
		}
	}
}
