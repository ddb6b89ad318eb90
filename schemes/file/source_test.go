package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

// TestSourcesAreSearched checks that a search in a source file of WAIS refers to a search in its database.
func TestSourcesAreSearched(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.src":   `(:source :ip-name "wais.example" :tcp-port 8000 :database-name "tides")`,
		"fields.src": `(:source :ip-name "wais.example" :database-name "d" :fields ( (:field :name "au" :type ( text )) (:field :name "ti") ))`,
		"bad.src":    "no source", "empty.src": "(:source )", "x.txt": "text",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := fetch.New(file.Scheme())
	c.Policy.NoFollow = true
	for _, tt := range []struct {
		name, search, want string
		kind               fetch.Kind
	}{
		{"good.src?two+words", "", "wais://wais.example:8000/tides?two+words", ""},
		{"good.src", "a b%c", "wais://wais.example:8000/tides?a+b%25c", ""},
		{"fields.src?au%3Dmiller+ti%3D(a+b)", "", "wais://wais.example/d?au%3Dmiller+ti%3D(a+b)", ""},
		{"fields.src?author%3Dmiller", "", "", fetch.ErrRefusedURL}, // before anything is contacted
		{"fields.src", "tide py>1990", "", fetch.ErrRefusedURL},
		{"good.src?author%3Dmiller", "", "wais://wais.example:8000/tides?author%3Dmiller", ""},
		{"good.src", "", "", ""},
		{"bad.src", "", "", ""},
		{"bad.src?x", "", "", fetch.ErrDecode},
		{"empty.src?x", "", "", fetch.ErrDecode},
		{"none.src?x", "", "", fetch.ErrNotFound},
		{"x.txt?x", "", "", fetch.ErrRefusedURL},
	} {
		d, err := c.Get(t.Context(), uri.MustParse(schemetest.FileURI(dir)+"/"+tt.name), &fetch.Options{Search: strings.Fields(tt.search)})
		if fetch.KindOf(err) != tt.kind {
			t.Errorf("%s: got %v, want kind %q", tt.name, err, tt.kind)
		}
		if d == nil {
			continue
		}
		d.Body.Close()
		got := ""
		for _, r := range d.Referrals {
			got = r.URI.String()
			if !r.Own {
				t.Errorf("%s: got Own false, want true", got)
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.txt", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("hello\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fetchtest.Test(t, file.Scheme(),
		fetchtest.Case{URI: schemetest.FileURI(dir) + "/a%20b.txt", Name: "document", Body: "hello\n", Type: "text/plain"},
		fetchtest.Case{URI: schemetest.FileURI(dir) + "/", Name: "directory"},
		fetchtest.Case{URI: schemetest.FileURI(dir) + "/none", Name: "missing", Err: fetch.ErrNotFound},
	)
}
