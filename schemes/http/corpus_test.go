package http_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

type row struct {
	ID, Kind, Input, Mode string
	Expect                map[string]any
}

// TestCorpus runs the rows of the URI corpus that read http URIs. testdata/uri holds those of the specifications; DEREF_CORPUS names a
// folder with those of other libraries.
func TestCorpus(t *testing.T) {
	n := 0
	for _, dir := range []string{"../../testdata/uri", os.Getenv("DEREF_CORPUS")} {
		for _, name := range []string{"5-scheme.jsonl", "6-illegal.jsonl"} {
			f, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			defer f.Close()
			for lines := bufio.NewScanner(f); lines.Scan(); {
				var r row
				if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(r.Input, "http") && (r.Kind == "scheme" || r.Mode == "scheme" || r.Mode == "dereference") {
					n++
					t.Run(r.ID, func(t *testing.T) { r.run(t) })
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d rows found", n)
	}
}

func (r row) run(t *testing.T) {
	u, err := uri.Parse(r.Input)
	if r.Kind == "illegal" {
		if err == nil && r.Mode == "scheme" {
			_, err = http.Schemes(nil)[0].Read(u, uri.RFC3986)
		} else if err == nil {
			_, err = fetch.New(http.Schemes(nil)...).Plan(u, nil)
		}
		if err == nil {
			t.Error("accepted")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := http.Schemes(nil)[0].Read(u, uri.RFC3986)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	b, _ := json.Marshal(v)
	json.Unmarshal(b, &got)
	for key, want := range r.Expect {
		if !reflect.DeepEqual(got[key], want) {
			t.Errorf("%s: %v, want %v", key, got[key], want)
		}
	}
}
