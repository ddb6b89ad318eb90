package hub_test

import (
	"encoding/json"
	"testing"

	"golang.org/x/sys/unix"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
)

// A hub whose disk was full accepts messages as soon as there is room again, without being started again, and has lost nothing. The limit for the
// size of its files acts as a full disk does.
func TestFullDisk(t *testing.T) {
	long(t, "it waits for a hub that does not respond")
	addr := loopback.Reserve(t)
	server := start(t, "hub", t.TempDir(), addr)
	c := dial(t, "nats://"+addr)
	j := newJob(t, c, playedJob, &hub.JobOptions{Partitions: 1})
	n, stored := 0, map[string]bool{}
	add := func() error {
		n++
		u := playedPage(n)
		_, err := j.Add(u, nil)
		stored[u.String()] = err == nil
		return err
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	room(t, server.Pid(), 1)
	if err := add(); fetch.KindOf(err) != fetch.ErrDisk && fetch.KindOf(err) != fetch.ErrTimeout && fetch.KindOf(err) != fetch.ErrUnavailable {
		t.Errorf("got %v, want an error of the disk, or no response", err)
	}
	loopback.Until(t, "report of the problem", func() bool { return server.Count("write error") > 0 })
	room(t, server.Pid(), unix.RLIM_INFINITY)
	loopback.Until(t, "hub that stores messages", func() bool { return add() == nil })
	seen := map[string]bool{}
	in := j.Log(0).Scan()
	defer in.Close()
	for last := playedPage(n).String(); !seen[last]; {
		record, _, err := in.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ URI uri.URI }
		if err := json.Unmarshal(record, &r); err != nil {
			t.Fatal(err)
		}
		seen[r.URI.String()] = true
	}
	for u, ok := range stored {
		if ok && !seen[u] {
			t.Errorf("%s: it was stored, and is not in the log", u)
		}
	}
}

// room limits the files that a process may write.
func room(t *testing.T, pid int, bytes uint64) {
	t.Helper()
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
}

// A hub that was started again may use all of the disk, and not a part of what its streams have left.
func TestRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := hub.Serve(&hub.ServerOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	// The server grants a stream of this size only if it may use as much.
	size := int64(disk.Blocks) * int64(disk.Bsize)
	if _, err := hub.Create(t.Context(), c, "large", &hub.JobOptions{MaxBytes: size}); err != nil {
		t.Errorf("got %v for a log of up to %d bytes, the size of the disk, want nil", err, size)
	}
}
