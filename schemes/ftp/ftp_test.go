package ftp_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A setting is a client and the server that it uses.
type setting struct {
	*fetch.Client
	srv *ftptest.Server
}

func newLab(t *testing.T, o *ftptest.Options) *setting {
	t.Helper()
	srv := ftptest.NewServer(testdata.Site(), o)
	c := fetch.New(ftp.Schemes(nil)...)
	t.Cleanup(func() { c.Close(); srv.Close() })
	return &setting{c, srv}
}

// inBubble calls f with a setting whose network is in memory, in a bubble of testing/synctest, where deadlines take no time.
func inBubble(t *testing.T, o *ftptest.Options, f func(*testing.T, *setting)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var memory fetchtest.Network
		given := loopback.Given(o)
		given.Network = &memory
		l := newLab(t, &given)
		memory.Attach(l.Client)
		f(t, l)
	})
}

// get dereferences a path of the server.
func (l *setting) get(t *testing.T, path string, o *fetch.Options) (*fetch.Document, error) {
	t.Helper()
	u, err := uri.Parse(l.srv.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.Get(t.Context(), u, o)
	if err == nil {
		t.Cleanup(func() { d.Body.Close() })
	}
	return d, err
}

// text returns the whole body.
func (l *setting) text(t *testing.T, path string, o *fetch.Options) (string, error) {
	t.Helper()
	d, err := l.get(t, path, o)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(d.Body)
	d.Body.Close()
	return string(b), err
}

func site(t *testing.T, name string) string {
	t.Helper()
	f, err := testdata.Site().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// steps collects the steps that a request has announced.
type steps struct {
	mu   sync.Mutex
	list []string
}

func (s *steps) options(o fetch.Options) *fetch.Options {
	o.Trace = func(e fetch.Event) {
		if e.Step == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, e.Step.Line())
	}
	return &o
}

func TestCwdPerSegment(t *testing.T) {
	l := newLab(t, nil)
	var sent steps
	got, err := l.text(t, "/names/a%20folder/b%20folder/c%20d.txt;type=a", sent.options(fetch.Options{}))
	if want := site(t, "names/a folder/b folder/c d.txt"); err != nil || got != want {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
	want := []string{"USER anonymous", "PASS deref@", "CWD names", "CWD a folder", "CWD b folder", "TYPE A", "EPSV", "RETR c d.txt", "QUIT"}
	l.Close()
	l.srv.Close() // it has received everything then
	received := l.srv.Transcript()
	if !slices.Equal(sent.list, want) || !slices.Equal(received, want[:len(received)]) || len(received) < len(want)-1 {
		t.Errorf("sent %q, the server received %q, want %q", sent.list, received, want)
	}
}

func TestPlanIsTheSequenceOfRFC1738(t *testing.T) {
	c := fetch.New(ftp.Schemes(nil)...)
	p, err := c.Plan(uri.MustParse("ftp://h/a/b%20c/f.txt;type=a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.When("") {
		got = append(got, s.Line())
	}
	want := []string{"USER anonymous", "PASS deref@", "CWD a", "CWD b c", "TYPE A", "EPSV", "RETR f.txt", "QUIT"}
	if !slices.Equal(got, want) || p.Addr != "h:21" || p.Type != "text/plain" {
		t.Errorf("got %q at %s as %s, want %q at h:21 as text/plain", got, p.Addr, p.Type, want)
	}
}

func TestDirectory(t *testing.T) {
	for _, path := range []string{"/names/", "/names", "/names;type=d"} {
		l := newLab(t, nil)
		d, err := l.get(t, path, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		kinds := map[string]fetch.EntryKind{}
		for e, err := range d.Entries {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			kinds[e.Title] = e.Kind
			if e.Kind != fetch.KindFile {
				continue
			}
			sub, err := l.Get(t.Context(), e.URI, nil)
			if err != nil {
				t.Fatalf("%s: got %v, want no error", e.URI, err)
			}
			b, err := io.ReadAll(sub.Body)
			sub.Body.Close()
			if want := site(t, "names/"+e.Title); err != nil || string(b) != want {
				t.Errorf("%s: got %q, %v, want %q", e.URI, b, err, want)
			}
		}
		if kinds["a folder"] != fetch.KindDir || kinds["hash#mark.txt"] != fetch.KindFile || len(kinds) < 15 {
			t.Errorf("%s: got %v, want at least 15 entries, \"a folder\" a directory and \"hash#mark.txt\" a file", path, kinds)
		}
	}
}

func TestMissing(t *testing.T) {
	l := newLab(t, nil)
	for path, want := range map[string]fetch.Kind{"/nonesuch": fetch.ErrNotFound, "/nonesuch/x": fetch.ErrNotFound, "/": ""} {
		if _, err := l.get(t, path, nil); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want kind %q", path, err, want)
		}
	}
}

func TestMetadata(t *testing.T) {
	l := newLab(t, nil)
	d, err := l.get(t, "/images/pixel.gif", &fetch.Options{Op: fetch.Metadata})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(len(site(t, "images/pixel.gif"))); d.Size != want || d.Type != "image/gif" || d.Modified.Year() != 1994 {
		t.Errorf("got %d bytes, %s, %v, want %d, image/gif, 1994", d.Size, d.Type, d.Modified, want)
	}
	d, err = l.get(t, "/images", &fetch.Options{Op: fetch.Metadata})
	if err != nil || !strings.Contains(d.Type, "listing") {
		t.Errorf("got %v, %v, want the type of a listing", d, err)
	}
	if _, err = l.get(t, "/nonesuch", &fetch.Options{Op: fetch.Metadata}); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %v, want %s", err, fetch.ErrNotFound)
	}
}

func TestCancelled(t *testing.T) {
	l := newLab(t, &ftptest.Options{Faults: &ftptest.Faults{Reply: map[string]string{"PASS": ftptest.Silence}}})
	ctx, cancel := context.WithCancel(t.Context())
	u := uri.MustParse(l.srv.URL + "/README.txt")
	cancelSoon := &fetch.Options{Trace: func(e fetch.Event) {
		if e.Dir == fetch.FromServer {
			cancel()
		}
	}}
	if _, err := l.Get(ctx, u, cancelSoon); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}
