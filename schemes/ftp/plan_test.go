package ftp_test

import (
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

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
