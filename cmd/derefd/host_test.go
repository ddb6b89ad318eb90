//go:build unix || windows

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// The URIs of a host are in one partition, with and without the default port.
func TestDefaultPorts(t *testing.T) {
	t.Parallel()
	job := jobOf(t, "task = \"check\"\n")
	list := fileIn(t, filepath.Dir(job), "list.txt", "http://h.test/\nhttp://h.test:80/\nHTTP://H.test/1\nftp://h.test:80/\n")
	derefd(t, 0, "add", job, list)
	if out, _ := derefd(t, 0, "status", job, "--partitions"); strings.Count(out, "partition ") != 1 {
		t.Errorf("got %q, want one partition", out)
	}
}

func TestSameServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"ftp://h.test/a/", "ftp://h.test/a/b", true},
		{"ftp://h.test/a/", "ftp://H.test:21/a/b", true},
		{"gopher://h.test:70/1", "gopher://h.test/1/a", true},
		{"ftp://h.test/", "ftp://h.test:2121/", false},
		{"ftp://h.test/", "ftp://other.test/", false},
		{"ftp://h.test/", "http://h.test:21/", false},
		{"news:a.test", "news:1@a.test", true},
		{"news:a.test", "ftp://h.test/", false},
		{"ftp://h.test/", "news:a.test", false},
	} {
		if got := sameServer(schemes.All(nil), uri.MustParse(c.a), uri.MustParse(c.b)); got != c.want {
			t.Errorf("%s, %s: got %t, want %t", c.a, c.b, got, c.want)
		}
	}
}
