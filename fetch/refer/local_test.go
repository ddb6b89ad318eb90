package refer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestBelow(t *testing.T) {
	ftp := &uri.Rules{DefaultPort: 21, Hierarchical: true}
	for _, c := range []struct{ prefix, in, want string }{
		{"ftp://h/pub/", "ftp://h/pub/a/b.txt", "a/b.txt"},
		{"ftp://H:21/%70ub/", "FTP://h/pub/a", "a"}, // normalized
		{"ftp://h/pub/", "ftp://h/pub/x/../a", "a"},
		{"ftp://h/pub/", "ftp://h/pub/a#f", "a"},
		{"ftp://h/pub/", "ftp://h/pub/a%20b%25", "a b%"},
		{"ftp://h/pub/", "ftp://h/pub/a;type=i", "a"},
		{"ftp://h/pub/", "ftp://h/pub/a;type=a", "a;type=a"}, // other bytes: a file of that name is unlikely
		{"http://h/", "http://h/a;type=i", "a;type=i"},
		{"ftp://h/", "ftp://h/pub/a", "pub/a"},
		{"ftp://h/pub/", "ftp://h/public/a", ""}, // segments, not letters
		{"ftp://h/pub/", "ftp://h/pub", ""}, {"ftp://h/pub/", "ftp://h/pub/", ""}, {"ftp://h/pub/", "ftp://h/pub/a/", ""},
		{"ftp://h/pub/", "ftp://h/pub/../a", ""}, {"ftp://h/pub/", "ftp://h/pub/a//b", ""},
		{"ftp://h/pub/", "ftp://h/pub/..%2Fa", ""}, {"ftp://h/pub/", "ftp://h/pub/%2e%2e/a", ""}, {"ftp://h/pub/", "ftp://h/pub/a%2Fb", ""},
		{"ftp://h/pub/", "ftp://h/pub/%2Fetc", ""}, {"ftp://h/pub/", "ftp://h/pub/a%5C..", ""}, {"ftp://h/pub/", "ftp://h/pub/a%00", ""},
		{"ftp://h/pub/", "ftp://u@h/pub/a", ""}, {"ftp://h/pub/", "ftp://h:2121/pub/a", ""}, {"ftp://h/pub/", "ftps://h/pub/a", ""},
		{"http://h/pub/", "http://h/pub/a?q", ""},
	} {
		l, err := NewLocal(c.prefix, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		got, ok := l.below(uri.MustParse(c.in), ftp)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s below %s: %q %v, want %q", c.in, c.prefix, got, ok, c.want)
		}
	}
	for _, bad := range []string{"ftp://h/pub", "ftp://h", "/pub/", "ftp://u@h/", "http://h/?a", "urn:a:b/"} {
		if _, err := NewLocal(bad, "/mnt"); fetch.KindOf(err) != fetch.ErrLocal {
			t.Errorf("%s: got %v, want ErrLocal", bad, err)
		}
	}
	if _, err := NewLocal("ftp://h/", "mnt"); err == nil {
		t.Error("a relative directory is accepted")
	}
}

// file stands for the file scheme.
func fileScheme() fetch.Scheme {
	return fetch.Scheme{Names: []string{"file"}, Local: true, Does: fetch.Does{Retrieves: true}, Plan: planEnd}
}

// TestLocally checks that the URI refers to the local file if that exists, and to the server in every other case.
func TestLocally(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	for name, text := range map[string]string{filepath.Join(dir, "a b"): "x", outside: "y"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	table := []Local{}
	for _, at := range []string{"a://h/pub/", "new://h/"} {
		l, err := NewLocal(at, dir)
		if err != nil {
			t.Fatal(err)
		}
		table = append(table, l)
	}
	oneWord := func(s *fetch.Step) error { // as http: a method is a token
		if strings.Contains(s.Verb, " ") {
			return errors.New("the method is not a token")
		}
		return nil
	}
	base := []fetch.Scheme{{Names: []string{"a", "aa"}, Plan: planEnd, Rules: uri.Rules{Hierarchical: true}, Grammar: oneWord},
		{Names: []string{"b"}, Plan: planEnd}, fileScheme()}
	gated, err := Apply(base, []Rule{{"b", "a:{host}"}})
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(Locally(gated, table)...)
	for _, row := range []struct{ in, want string }{
		{"a://h/pub/a%20b", "file://" + strings.ReplaceAll(filepath.ToSlash(filepath.Join(dir, "a b")), " ", "%20")},
		{"a://h/pub/none", "a://h/pub/none"},
		{"a://h/pub/folder", "a://h/pub/folder"}, // a local listing is not equivalent
		{"a://h/pub/link", "a://h/pub/link"},     // out of the directory
		{"a://h/other/a%20b", "a://h/other/a%20b"},
		{"aa://h/pub/a%20b", "aa://h/pub/a%20b"},
		{"new://h/a%20b", "file://" + strings.ReplaceAll(filepath.ToSlash(filepath.Join(dir, "a b")), " ", "%20")},
	} {
		d, err := c.Get(context.Background(), uri.MustParse(row.in), nil)
		if err != nil {
			t.Errorf("%s: %v", row.in, err)
			continue
		}
		if d.URI.String() != row.want {
			t.Errorf("%s: %s, want %s", row.in, d.URI, row.want)
		}
		d.Body.Close()
	}
	if _, err := c.Get(context.Background(), uri.MustParse("new://h/none"), nil); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
	if base[0].Does.Refers {
		t.Error("got a change of the caller's list, want none")
	}
}

// TestLocallyBeforeAGateway: the local file comes first, then the gateway.
func TestLocallyBeforeAGateway(t *testing.T) {
	dir := t.TempDir()
	l, err := NewLocal("b://h/", dir)
	if err != nil {
		t.Fatal(err)
	}
	gated, err := Apply([]fetch.Scheme{{Names: []string{"a"}, Plan: planEnd}, fileScheme()}, []Rule{{"b", "a:{path}"}})
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(Locally(gated, []Local{l})...)
	for _, want := range []string{"a:%2Fx", "file://" + filepath.ToSlash(dir) + "/x"} {
		d, err := c.Get(context.Background(), uri.MustParse("b://h/x"), nil)
		if err != nil || d.URI.String() != want {
			t.Errorf("%v %v, want %s", d, err, want)
		}
		if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzBelow: no name leaves the directory.
func FuzzBelow(f *testing.F) {
	for _, s := range []string{"a", "../a", "%2e%2e/a", "a%2f..", "a//b", "./a", "%2Fetc/passwd"} {
		f.Add(s)
	}
	l, err := NewLocal("ftp://h/pub/", f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		u, err := uri.Parse("ftp://h/pub/" + path)
		if err != nil {
			return
		}
		for _, rules := range []*uri.Rules{nil, {DefaultPort: 21, Hierarchical: true}} {
			name, ok := l.below(u, rules)
			if ok && (!filepath.IsLocal(name) || filepath.ToSlash(filepath.Clean(name)) != name) {
				t.Fatalf("%q: got the file %q, want a local path", path, name)
			}
		}
	})
}
