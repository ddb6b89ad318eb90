package prospero

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/uri"
)

func files() fstest.MapFS {
	long := strings.Repeat("it's a long line\n", 5000)
	return fstest.MapFS{
		"pub/tides.txt":  {Data: []byte("high tide\nisn't low\n")},
		"pub/long.txt":   {Data: []byte(long)},
		"pub/bytes.bin":  {Data: allOctets()},
		"pub/two w.txt":  {Data: []byte("x")},
		"pub/void":       {Data: nil},
		"pub/deep/a.txt": {Data: []byte("a")},
	}
}

func allOctets() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func get(t *testing.T, url string, c *fetch.Client) (*fetch.Document, string, error) {
	t.Helper()
	if c == nil {
		c = fetch.New(Scheme())
	}
	defer c.Close()
	return fetchtest.GetWith(t, c, url, nil)
}

func TestContents(t *testing.T) {
	fsys := files()
	s := prosperotest.NewServer(fsys, nil)
	defer s.Close()
	c := fetch.New(Scheme())
	c.Limits.Reply = -1 // none
	if _, body, err := get(t, s.URL+"/AFTP/pub/tides.txt", c); err != nil || body != string(fsys["pub/tides.txt"].Data) {
		t.Errorf("without limits: got %q, %v, want %q", body, err, fsys["pub/tides.txt"].Data)
	}
	for path, name := range map[string]string{"AFTP/pub/tides.txt": "pub/tides.txt", "AFTP/pub/long.txt": "pub/long.txt",
		"AFTP/pub/bytes.bin": "pub/bytes.bin", "AFTP/pub/two%20w.txt": "pub/two w.txt", "AFTP/pub/void": "pub/void"} {
		_, body, err := get(t, s.URL+"/"+path, nil)
		if err != nil || body != string(fsys[name].Data) {
			t.Errorf("%s: got %d bytes, %v, want %d", path, len(body), err, len(fsys[name].Data))
		}
	}
}

// TestContentsAsFallBack checks that the server itself is tried if the method that it prefers fails.
func TestContentsAsFallBack(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{FTP: loopback.Reserve(t)})
	defer s.Close()
	want, _, err := get(t, s.URL+"/AFTP/pub/tides.txt;ACCESS-METHOD=PROSPERO-CONTENTS", nil)
	if err != nil || len(want.Via) != 0 {
		t.Fatalf("got %+v, %v, want a document without referrals", want, err)
	}
	d, text, err := get(t, s.URL+"/AFTP/pub/tides.txt", fetch.New(Scheme(), broken("ftp")))
	if err != nil || len(d.Via) != 1 || text != string(files()["pub/tides.txt"].Data) || d.End != fetch.EndTerminated {
		t.Errorf("got %+v, %q, %v, want the file after one referral", d, text, err)
	}
	// In modes without fields that cannot be requested, so the first error remains.
	c := fetch.New(Scheme(), broken("ftp"))
	defer c.Close()
	if _, err := c.Get(context.Background(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt"),
		&fetch.Options{Mode: uri.URL6}); fetch.KindOf(err) != fetch.ErrConnect {
		t.Errorf("got %v, want kind %s", err, fetch.ErrConnect)
	}
}

// broken is a scheme whose servers cannot be reached.
func broken(name string) fetch.Scheme {
	return fetch.Scheme{Names: []string{name}, Does: fetch.Does{Retrieves: true}, Plan: planUnreachable}
}

func planUnreachable(uri.URI, *fetch.Options) (*fetch.Plan, error) {
	run := func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return nil, fetch.Errorf(fetch.ErrConnect, "nobody is there")
	}
	return &fetch.Plan{Steps: []fetch.Step{{Verb: "try"}}, Run: run}, nil
}

// TestAttributes: the attributes of a URI are what is requested, also from the server to which another one forwards.
func TestAttributes(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{Forward: map[string]string{"AFTP/old": prosperotest.Self},
		Methods: map[string][]string{"AFTP/many": slices.Repeat([]string{"NFS\nWARNING among warnings"}, mostAttributes*2/3)}})
	defer s.Close()
	for path, want := range map[string]string{
		"AFTP/pub/tides.txt%00%00SIZE":               "SIZE: 20 bytes\n",
		"AFTP/pub/tides.txt%000%00UNIX-MODES%00SIZE": "SIZE: 20 bytes\nUNIX-MODES: ----------\n",
	} {
		d, body, err := get(t, s.URL+"/"+path, nil)
		if err != nil || body != want || d.Type != "text/plain" || d.Size != int64(len(want)) {
			t.Errorf("%s: got %q, %v, %+v, want %q", path, body, err, d, want)
		}
	}
	for path, kind := range map[string]fetch.Kind{"AFTP/pub/tides.txt%00%00COLOR": fetch.ErrNotFound, "AFTP/none%00%00SIZE": fetch.ErrNotFound,
		"AFTP/many%00%00ACCESS-METHOD": fetch.ErrLimit} {
		if _, body, err := get(t, s.URL+"/"+path, nil); !errors.Is(err, kind) {
			t.Errorf("%s: got %.99q, %v, want kind %s", path, body, err, kind)
		}
	}
	o := &fetch.Options{Range: fetch.Range{From: 1}}
	if _, err := fetch.New(Scheme()).Get(t.Context(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt%00%00SIZE"), o); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("a range: got %v, want kind %s", err, fetch.ErrRange)
	}
	c := fetch.New(Scheme())
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse(s.URL+"/AFTP/old%00%00SIZE"), &fetch.Options{NoFollow: true})
	if err != nil || len(d.Referrals) != 1 || !strings.HasSuffix(d.Referrals[0].URI.String(), "/AFTP/old%00%00SIZE") {
		t.Errorf("forwarded: got %+v, %v, want a referral with the attribute", d, err)
	}
}

func TestRefusals(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	for path, kind := range map[string]fetch.Kind{"AFTP/none": fetch.ErrNotFound, "/etc/hosts": fetch.ErrRefused} {
		if _, _, err := get(t, s.URL+"/"+path, nil); !errors.Is(err, kind) {
			t.Errorf("%s: got %v, want kind %s", path, err, kind)
		}
	}
	if _, _, err := get(t, s.URL+"/AFTP/pub/tides.txt%00", nil); err != nil {
		t.Errorf("an empty version: got %v, want the object", err)
	}
	o := &fetch.Options{Range: fetch.Range{From: 1}}
	if _, err := fetch.New(Scheme()).Get(context.Background(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt"), o); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("a range: got %v, want kind %s", err, fetch.ErrRange)
	}
}

// TestUnspeakable checks that the error names the methods that are not supported.
func TestUnspeakable(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{Methods: map[string][]string{"AFTP/pub/void": {"NFS INTERNET-D h ASCII /x fs",
		"RCP '' '' '' ''"}}})
	defer s.Close()
	if _, _, err := get(t, s.URL+"/AFTP/pub/void", nil); !errors.Is(err, fetch.ErrUnsupported) || !strings.Contains(err.Error(), "NFS, RCP") {
		t.Errorf("got %v, want kind %s with NFS, RCP", err, fetch.ErrUnsupported)
	}
}

// TestReplay: a recording is replayed with the connection ID that it contains.
func TestReplay(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	var script strings.Builder
	rec := dialogue.NewRecorder(&script)
	u := uri.MustParse(s.URL + "/AFTP/pub/long.txt")
	o := &fetch.Options{Trace: rec.Trace}
	first := fetch.New(Scheme())
	first.Random = func(b []byte) { copy(b, "\xff\xff") } // the next ID is 1
	_, want, err := fetchtest.GetWith(t, first, u.String(), o)
	if rec.Flush(); err != nil {
		t.Fatal(err)
	}
	parsed, err := dialogue.Parse(script.String())
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(Scheme())
	p.Attach(c)
	o.Trace = nil
	if _, got, err := fetchtest.GetWith(t, c, u.String(), o); err != nil || got != want {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
