package ftp_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp"
	cases "example.org/deref/testdata/uri"
	"example.org/deref/uri"
)

// rows returns the rows about ftp.
func rows(t *testing.T) (all []cases.Case) {
	t.Helper()
	for _, c := range append(cases.Own(t), cases.Others(t)...) {
		if strings.HasPrefix(c.Input, "ftp") {
			all = append(all, c)
		}
	}
	return all
}

func TestCorpus(t *testing.T) {
	s := ftp.Schemes(nil)[0]
	c := fetch.New(s)
	seen := 0
	for _, r := range rows(t) {
		m, _ := uri.ParseMode(r.Mode) // scheme and dereference are not modes
		switch {
		case r.Kind == "scheme":
			seen++
			got, err := s.Read(uri.MustParse(r.Input), m)
			if err != nil {
				t.Errorf("%s: got %v, want no error", r.ID, err)
				continue
			}
			compare(t, r, got)
		case r.Kind == "illegal" && r.Mode == "scheme":
			seen++
			if _, err := s.Read(uri.MustParse(r.Input), m); err == nil {
				t.Errorf("%s: %s: got no error, want one", r.ID, r.Input)
			}
		case r.Kind == "illegal" && r.Mode == "dereference":
			seen++
			if _, err := c.Plan(uri.MustParse(r.Input), nil); fetch.KindOf(err) != fetch.ErrRefusedURL {
				t.Errorf("%s: %s: got %v, want %s", r.ID, r.Input, err, fetch.ErrRefusedURL)
			}
		}
	}
	if seen < 20 {
		t.Errorf("got %d rows, want at least 20", seen)
	}
}

// compare compares the keys that the row expects.
func compare(t *testing.T, r cases.Case, got any) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for k, want := range r.Expect {
		if !reflect.DeepEqual(m[k], want) {
			t.Errorf("%s: %s: %s: got %v, want %v", r.ID, r.Input, k, m[k], want)
		}
	}
}
