//go:build unix

package file

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

// TestUnusualNames checks names that only Unix allows. Some of its file systems (APFS, ZFS) allow only UTF-8.
func TestUnusualNames(t *testing.T) {
	for _, tt := range []struct{ name, path string }{
		{"caf\xe9", "/caf%E9"},
		{"new\nline", "/new%0Aline"},
		{"what?", "/what%3F"},
		{`back\slash`, "/back%5Cslash"},
		{"a:b", "/a:b"},
		{"nul", "/nul"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/"+tt.name, []byte("x"), 0o644); err != nil {
			if errors.Is(err, syscall.EILSEQ) {
				continue
			}
			t.Fatal(err)
		}
		d, body, err := get(t, schemetest.FileURI(dir)+tt.path, nil)
		if err != nil || body != "x" || d.Type != "text/plain" || d.TypeReason != "its first bytes" {
			t.Errorf("%q: got %q, %v, %+v, want %q", tt.name, body, err, d, "x")
		}
	}
}

func TestSpecialFiles(t *testing.T) {
	dir := tree(t, nil)
	if err := syscall.Mkfifo(dir+"/fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("/dev/zero", dir+"/zero"), os.Symlink(dir+"/loop", dir+"/loop")); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", dir+"/sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, u := range []string{
		schemetest.FileURI(dir) + "/fifo",
		schemetest.FileURI(dir) + "/sock",
		schemetest.FileURI(dir) + "/zero", // also through a link
		schemetest.FileURI(dir) + "/loop",
		"file:///dev/null",
	} {
		if _, _, err := get(t, u, nil); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%s: got %v (%s), want %s", u, err, fetch.KindOf(err), fetch.ErrLocal)
		}
	}
}

func TestWriterErrorsAreTheWriters(t *testing.T) {
	dir := tree(t, map[string]string{"f": "abc"})
	d, err := fetch.New(Scheme()).Get(t.Context(), uri.MustParse(schemetest.FileURI(dir)+"/f"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	if _, err := io.Copy(full, d.Body); !errors.Is(err, syscall.ENOSPC) || fetch.KindOf(err) != "" {
		t.Errorf("got %v of kind %q, want the writer's error", err, fetch.KindOf(err))
	}
}

func TestDirectory(t *testing.T) {
	dir := tree(t, map[string]string{"b.txt": "12345", "a/x": "", "what?#": "", "%41": "", ".hidden": "", "a:b": ""})
	if err := errors.Join(os.Symlink("b.txt", dir+"/link"), syscall.Mkfifo(dir+"/pipe", 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{schemetest.FileURI(dir), schemetest.FileURI(dir) + "/"} {
		d, err := fetch.New(Scheme()).Get(t.Context(), uri.MustParse(u), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for e, err := range d.Entries {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(e.URI.String(), schemetest.FileURI(dir))+" "+string(e.Kind))
			if e.Kind == fetch.KindFile {
				if _, _, err := get(t, e.URI.String(), nil); err != nil {
					t.Errorf("%s: got %v, want no error", e.URI, err)
				}
			}
		}
		want := []string{"/%2541 file", "/.hidden file", "/a/ dir", "/a:b file", "/b.txt file", "/link link", "/pipe entry", "/what%3F%23 file"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", u, got, want)
		}
		if rel := d.Base.Resolve(uri.MustParse("b.txt")); rel.String() != schemetest.FileURI(dir)+"/b.txt" {
			t.Errorf("%s: got base %s, want one that resolves b.txt to %s/b.txt", u, d.Base, schemetest.FileURI(dir))
		}
		d.Body.Close()
	}
	_, body, err := get(t, schemetest.FileURI(dir), nil)
	if n := strings.Count(body, "\n"); err != nil || n != 8 || !strings.Contains(body, `"attr":{"target":["b.txt"]}`) {
		t.Errorf("got %d lines, %v:\n%s\nwant 8, and the target of the link", n, err, body)
	}
	if list, err := os.ReadDir(dir); err != nil {
		t.Error(err)
	} else if e, ok := entry(uri.MustParse("file:///d/"), dir, closed{list[2]}); !ok || e.Kind != fetch.KindDir || e.URI.String() != "file:///d/a/" {
		t.Errorf("got %+v, %v for the member of a directory that may only be read, want its name and kind", e, ok)
	}
	if _, _, err := get(t, schemetest.FileURI(dir), &fetch.Options{Range: fetch.Range{From: 3}}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("range of a directory: got %v, want %s", err, fetch.ErrRange)
	}
}

type closed struct{ os.DirEntry } // a member of a directory that may be read, and not searched

func (closed) Info() (os.FileInfo, error) { return nil, os.ErrPermission }
