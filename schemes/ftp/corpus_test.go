package ftp_test

import (
	"encoding/json"
	"io/fs"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
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

// switched is a file system that can be replaced.
type switched struct{ atomic.Pointer[fstest.MapFS] }

func (s *switched) Open(name string) (fs.File, error) { return s.Load().Open(name) }

// TestPlanRunsTwice checks that a run does not change the request of the plan: x is a directory first, and then a file.
func TestPlanRunsTwice(t *testing.T) {
	var fsys switched
	srv := ftptest.NewServer(&fsys, nil)
	defer srv.Close()
	s := ftp.Schemes(nil)[0]
	plan, planned := s.Plan, (*fetch.Plan)(nil)
	s.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		if planned == nil {
			p, err := plan(u, o)
			if err != nil {
				return nil, err
			}
			planned = p
		}
		p := *planned
		return &p, nil
	}
	c := fetch.New(s)
	defer c.Close()
	for _, tt := range []struct {
		files fstest.MapFS
		want  string
	}{
		{fstest.MapFS{"x.gif/y": {}}, "text/ftp-dir-listing"},
		{fstest.MapFS{"x.gif": {}}, "image/gif"},
	} {
		fsys.Store(&tt.files)
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+"/x.gif"), &fetch.Options{Op: fetch.Metadata})
		if err != nil {
			t.Fatal(err)
		}
		if d.Type != tt.want {
			t.Errorf("got %s, want %s", d.Type, tt.want)
		}
	}
}
