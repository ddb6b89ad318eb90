package http_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	cases "example.org/deref/testdata/uri"
	"example.org/deref/uri"
)

// A row is a case of testdata/uri or URI_CORPUS.
type row cases.Case

// TestCorpus runs the cases that read http URIs.
func TestCorpus(t *testing.T) {
	if n := runRows(t, cases.Own(t)); n < 10 {
		t.Errorf("got %d rows, want at least 10", n)
	}
	t.Run("others", func(t *testing.T) {
		others := cases.Others(t)
		if others == nil {
			t.Skip(cases.NoOthers)
		}
		runRows(t, others)
	})
}

func runRows(t *testing.T, all []cases.Case) (n int) {
	for _, r := range all {
		if strings.HasPrefix(r.Input, "http") && (r.Kind == "scheme" || r.Mode == "scheme" || r.Mode == "dereference") {
			n++
			t.Run(r.ID, row(r).run)
		}
	}
	return n
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
			t.Error("got no error, want a refusal")
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
