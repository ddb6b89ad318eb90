package fsview_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fsview"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func site() fstest.MapFS {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return fstest.MapFS{
		"about.bin":          {Data: []byte("about\x00"), ModTime: when},
		"sub dir/one.bin":    {Data: []byte("\x01one"), ModTime: when},
		"sub dir/deep/x.gif": {Data: []byte("GIF89a"), ModTime: when},
		"pic.gif":            {Data: []byte("GIF89a\x00"), ModTime: when},
	}
}

func names(fsys fstest.MapFS) []string {
	var list []string
	for name := range fsys {
		list = append(list, name)
	}
	return list
}

func client(t *testing.T) *fetch.Client {
	t.Helper()
	var all []fetch.Scheme
	all = append(append(append(all, gopher.Schemes()...), ftp.Schemes(nil)...), file.Scheme())
	c := fetch.New(all...)
	t.Cleanup(func() { c.Close() })
	return c
}

// roots are the roots of the site by protocol.
func roots(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, site()); err != nil {
		t.Fatal(err)
	}
	f := ftptest.NewServer(site(), nil)
	t.Cleanup(func() { f.Close() })
	g := gophertest.NewServer(site(), nil)
	t.Cleanup(func() { g.Close() })
	return map[string]string{"ftp": f.URL + "/", "gopher": g.URL + "/1/", "file": "file://" + dir + "/"}
}

// A file whose name is not UTF-8 has its escaped name: fs.FS has only names in UTF-8.
func TestOldNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"caf\xe9.txt", "caf\xea.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Skip("the file system has only names in UTF-8: ", err)
		}
	}
	fsys := open(t, client(t), "file://"+dir+"/")
	if err := fstest.TestFS(fsys, "caf%E9.txt", "caf%EA.txt"); err != nil {
		t.Error(err)
	}
	if b, err := fs.ReadFile(fsys, "caf%E9.txt"); err != nil || string(b) != "caf\xe9.txt" {
		t.Errorf("got %q, %v; want its contents", b, err)
	}
}

func TestErrors(t *testing.T) {
	for name, root := range roots(t) {
		t.Run(name, func(t *testing.T) {
			c := client(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			fsys, err := fsview.New(ctx, c, uri.MustParse(root), nil)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]error{
				"none": fs.ErrNotExist, "sub dir/none": fs.ErrNotExist, "about.bin/none": fs.ErrNotExist, "/about.bin": fs.ErrInvalid,
				"..": fs.ErrInvalid,
			} {
				_, err := fsys.Open(path)
				if _, ok := errors.AsType[*fs.PathError](err); !ok || !errors.Is(err, want) {
					t.Errorf("Open(%q): %v", path, err)
				}
				if _, err := fs.Stat(fsys, path); !errors.Is(err, want) {
					t.Errorf("Stat(%q): %v", path, err)
				}
			}
			open, err := fsys.Open("about.bin")
			if err != nil {
				t.Fatal(err)
			}
			defer open.Close()
			cancel()
			if _, err := fsys.Open("pic.gif"); !errors.Is(err, context.Canceled) {
				t.Errorf("Open after the end of the context: got %v, want Canceled", err)
			}
			if _, err := fsys.ReadDir("sub dir/deep"); !errors.Is(err, context.Canceled) {
				t.Errorf("ReadDir after the end of the context: got %v, want Canceled", err)
			}
		})
	}
}

func TestRootIsAListing(t *testing.T) {
	c := client(t)
	r := roots(t)
	if _, err := fsview.New(t.Context(), c, uri.MustParse(r["ftp"]+"pic.gif"), nil); err == nil {
		t.Error("a document is treated as a directory")
	}
	if _, err := fsview.New(t.Context(), c, uri.MustParse(r["ftp"]+"none/"), nil); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// Circular menus, with links to each other and to other servers: a walk visits each directory once, and ends.
func TestWalkEnds(t *testing.T) {
	other := gophertest.NewServer(fstest.MapFS{"far.bin": {Data: []byte("far")}}, nil)
	t.Cleanup(other.Close)
	host, port, _ := strings.Cut(other.Addr, ":")
	links := "1top\t/\n1a\t/a\n1b\t/b\n1elsewhere\t/\t" + host + "\t" + port + "\n"
	srv := gophertest.NewServer(fstest.MapFS{
		"gophermap":   {Data: []byte(links)},
		"a/gophermap": {Data: []byte(links + "9x.bin\t/a/x.bin\n")},
		"b/gophermap": {Data: []byte(links)},
		"a/x.bin":     {Data: []byte("x")},
	}, nil)
	t.Cleanup(srv.Close)
	for _, o := range []*fsview.Options{nil, {SpanHosts: true}} {
		fsys, err := fsview.New(t.Context(), client(t), uri.MustParse(srv.URL+"/1/"), o)
		if err != nil {
			t.Fatal(err)
		}
		var dirs, files, seen []string
		err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				dirs = append(dirs, name)
			case d.Type() == 0:
				files = append(files, name)
			}
			seen = append(seen, name)
			return nil
		})
		want, far := []string{".", "a", "b"}, []string{"a/x.bin"}
		if o != nil {
			want, far = []string{".", "a", "b", "elsewhere"}, []string{"a/x.bin", "elsewhere/far.bin"}
		}
		if err != nil || !slices.Equal(dirs, want) || !slices.Equal(files, far) {
			t.Errorf("%v: got directories %q, files %q, %v; all %q; want dirs %v and files %v", o, dirs, files, err, seen, want, far)
		}
		if b, err := fs.ReadFile(fsys, "b/a/x.bin"); err != nil || string(b) != "x" {
			t.Errorf("through a link: got %q, %v; want \"x\"", b, err)
		}
		if info, err := fs.Stat(fsys, "b/a"); err != nil || !info.IsDir() {
			t.Errorf("a link's target: got %v, %v; want IsDir true", info, err)
		}
	}
}

// A document that has changed since it was opened stays an error, however often it is read.
func TestChangedDocument(t *testing.T) {
	files := fstest.MapFS{"a.bin": {Data: []byte(strings.Repeat("a", 10_000)), ModTime: time.Unix(800_000_000, 0)}}
	s := ftptest.NewServer(files, nil)
	t.Cleanup(s.Close)
	f, err := open(t, client(t), s.URL+"/").Open("a.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files["a.bin"] = &fstest.MapFile{Data: []byte(strings.Repeat("b", 10_000)), ModTime: time.Unix(900_000_000, 0)}
	f.(io.Seeker).Seek(9_000, io.SeekStart)
	for range 2 {
		if n, err := f.Read(make([]byte, 10)); n != 0 || !errors.Is(err, fetch.ErrChanged) {
			t.Errorf("got %d bytes, %v; want 0 and ErrChanged", n, err)
		}
	}
}

// A listing of one name for many documents does not take time that grows with its square.
func TestOneNameForAll(t *testing.T) {
	const n = 50_000
	same := fetch.Scheme{Names: []string{"a"}, Does: fetch.Does{Retrieves: true}}
	same.Plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
				for i := range n {
					if !yield(fetch.Entry{URI: uri.MustParse(fmt.Sprintf("a://h/%d", i)), Title: "x", Kind: fetch.KindFile}, nil) {
						return
					}
				}
			}), nil
		}}, nil
	}
	list, err := open(t, fetch.New(same), "a://h/").ReadDir(".")
	if err != nil || len(list) != n || list[1].Name() != "x (10)" || list[n-1].Name() != "x (9999)" {
		t.Errorf("got %d entries, %v, %v; want %d, from x to x (%[4]d)", len(list), list[:min(2, len(list))], err, n)
	}
}

// The port of the scheme and the case of the host make no other server.
func TestSameServer(t *testing.T) {
	same := fetch.Scheme{Names: []string{"a"}, Does: fetch.Does{Retrieves: true}, Rules: uri.Rules{DefaultPort: 70, Hierarchical: true}}
	same.Plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
				for _, x := range []string{"a://h/port", "a://h:70/none", "a://H:070/case", "a://h:71/another", "a://h", "a://h:70/"} {
					if !yield(fetch.Entry{URI: uri.MustParse(x), Kind: fetch.KindFile}, nil) {
						return
					}
				}
			}), nil
		}}, nil
	}
	for _, root := range []string{"a://h/", "a://h:70/", "a://H/"} {
		list, err := open(t, fetch.New(same), root).ReadDir(".")
		if got := fmt.Sprint(list); err != nil || len(list) != 3 || list[0].Name() != "case" || list[1].Name() != "none" {
			t.Errorf("%s: got %s, %v, want case, none and port", root, got, err)
		}
	}
}
