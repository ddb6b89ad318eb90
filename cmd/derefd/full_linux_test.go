package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
)

// A worker whose disk is full ends with one line that names the archive, and leaves the URI to others. The limit for the size of its files acts
// as a full disk does.
func TestFullArchive(t *testing.T) {
	long(t, "it carries out a job")
	s := hubtest.Serve(t, "127.0.0.1:0")
	conn, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	name := jobOf(t, "task = \"archive\"\npartitions = 2\n")
	f, err := readJob(name)
	if err != nil {
		t.Fatal(err)
	}
	j, err := hub.Create(t.Context(), conn, f.name, f.options())
	if err != nil {
		t.Fatal(err)
	}
	worker := hubtest.Start(t, []string{"DEREFD_TEST=1"}, "work", name, "--hub", s.URL(""), "--log")
	if err := unix.Prlimit(worker.Pid(), unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Add(uri.MustParse(servers(t, "http")[0].URL+"/history/ftp.txt"), nil); err != nil {
		t.Fatal(err)
	}
	if err := j.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if line := worker.Line("derefd: "); strings.Count(line, "derefd: disk: the archive could not be written") != 1 || strings.Count(line, "could not be written") != 1 {
		t.Errorf("got %q, want one error about the archive", line)
	}
	var status *exec.ExitError
	if err := worker.Wait(); !errors.As(err, &status) || status.ExitCode() != 14 {
		t.Errorf("got %v, want exit status 14", err)
	}
	if s, err := j.Status(t.Context()); err != nil || s.Records() != 0 || len(s.Workers()) != 0 {
		t.Errorf("got %+v, %v, want no result and no worker", s, err)
	}
}
