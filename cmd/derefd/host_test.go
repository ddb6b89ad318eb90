//go:build unix || windows

package main

import (
	"path/filepath"
	"strings"
	"testing"
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
