package afs

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme(nil)); n < 2 {
		t.Errorf("got %d rows, want at least 2", n)
	}
}

func TestPlans(t *testing.T) {
	cases := []fetchtest.PlanCase{
		{URI: "afs://cern.ch/user/t/timbl", Want: "referral\n-> file:///afs/cern.ch/user/t/timbl (where AFS is mounted by tradition)"},
		{URI: "afs://cern.ch", Want: "referral\n-> file:///afs/cern.ch (where AFS is mounted by tradition)"},
		{URI: "afs://cern.ch/a%20b%23c/", Want: "referral\n-> file:///afs/cern.ch/a%20b%23c/ (where AFS is mounted by tradition)"},
		{URI: "afs:///x", Kind: fetch.ErrRefusedURL},
		{URI: "afs:x", Kind: fetch.ErrRefusedURL},
		{URI: "afs://c/x?y", Kind: fetch.ErrRefusedURL},
		{URI: "afs://c:1/x", Kind: fetch.ErrRefusedURL},
		{URI: "afs://u@c/x", Kind: fetch.ErrRefusedURL},
		{URI: "afs://c/x", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
	}
	for _, out := range []string{"../../etc/passwd", "a/../b", "%2e%2e/x", "a%2F..%2Fb", "./a", "a/..", "a%5Cb", "a%00b"} {
		cases = append(cases, fetchtest.PlanCase{URI: "afs://c/" + out, Kind: fetch.ErrRefusedURL})
	}
	for _, cell := range []string{"..", ".", "%2e%2e", "a%2fb", "%00"} {
		cases = append(cases, fetchtest.PlanCase{URI: "afs://" + cell + "/x", Kind: fetch.ErrRefusedURL})
	}
	fetchtest.Plans(t, cases, Scheme(nil))
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "afs://c/x", Want: "referral\n-> file:///mnt/my%20afs/c/x (AFS is mounted at /mnt/my afs) own"},
	}, Scheme(&Config{Mount: "/mnt/my afs/"}))
}

// Only a configured mount point makes the referral the user's own.
func TestFileIsNotOpenedUnasked(t *testing.T) {
	file := fetch.Scheme{Names: []string{"file"}, Local: true, Does: fetch.Does{Retrieves: true}, Plan: planNothing}
	u := uri.MustParse("afs://c/x")
	d, err := fetch.New(Scheme(nil), file).Get(context.Background(), u, nil)
	if !errors.Is(err, fetch.ErrRedirect) || d == nil {
		t.Fatalf("without Config.Mount: got %v, %v, want a document and %s", d, err, fetch.ErrRedirect)
	}
	d.Body.Close()
	d, err = fetch.New(Scheme(&Config{Mount: "/afs"}), file).Get(context.Background(), u, nil)
	if want := "file:///afs/c/x"; err != nil || d.URI.String() != want {
		t.Fatalf("with Config.Mount: got %v, %v, want %s", d, err, want)
	}
	d.Body.Close()
}

// planNothing stands for the file scheme: its documents are empty.
func planNothing(uri.URI, *fetch.Options) (*fetch.Plan, error) {
	return &fetch.Plan{Steps: []fetch.Step{{Verb: "open"}}, Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), nil
	}}, nil
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"afs://cern.ch/user/t/timbl", "afs://c/%2e%2e/x", "afs:///x", "afs://%2f/x", "afs://[::1]//"}, Scheme(nil))
}

// FuzzStaysInside checks that no referral leaves the directory of its cell.
func FuzzStaysInside(f *testing.F) {
	for _, s := range []string{"c/x", "c/../x", "%2e./x", "c/%2e%2e", "c/a%2f..%2fb", "..", "c//../../x"} {
		f.Add(s)
	}
	c := fetch.New(Scheme(nil))
	f.Fuzz(func(t *testing.T, in string) {
		u, err := uri.Parse("afs://" + in)
		if err != nil {
			return
		}
		p, err := c.Plan(u, nil)
		if err != nil {
			return
		}
		name := p.Refers[0].URI.Path().Decode()
		for s := range strings.SplitSeq(strings.TrimPrefix(name, "/afs/"), "/") {
			if s == "." || s == ".." {
				t.Fatalf("%q refers to %q, want no segment . or ..", in, name)
			}
		}
		if !strings.HasPrefix(name, "/afs/") || strings.HasPrefix(name, "/afs//") {
			t.Fatalf("%q refers to %q, want a cell below /afs/", in, name)
		}
	})
}
