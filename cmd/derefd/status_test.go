//go:build unix || windows

package main

import (
	"testing"
	"time"

	"example.org/deref/fetch/hub"
)

// The time that is left is that of the present rate, which a job that was interrupted for a day does not change.
func TestPace(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		added, done, failed int64
		took                time.Duration
		now                 float64
		want                string
	}{
		{100, 0, 0, time.Minute, 5, ""},
		{100, 40, 20, time.Minute, -1, "1.0 URIs/s on average\n"},
		{100, 40, 20, time.Minute, 4, "4.0 URIs/s now, 1.0 on average; 10s left for the URIs that are known\n"},
		{100, 40, 20, time.Minute, 0, "0.0 URIs/s now, 1.0 on average; 40s left for the URIs that are known\n"},
		{10000, 864, 0, 24 * time.Hour, 2, "2.0 URIs/s now, 0.0 on average; 1h16m8s left for the URIs that are known\n"},
		{60, 40, 20, time.Minute, 3, "1.0 URIs/s on average\n"},
	} {
		s := &hub.Status{Added: c.added, Created: began, Latest: began.Add(c.took)}
		s.Done, s.Failed = c.done, c.failed
		if got := pace(s, c.now); got != c.want {
			t.Errorf("%d of %d after %v, %v a second: got %q, want %q", c.done+c.failed, c.added, c.took, c.now, got, c.want)
		}
	}
}

// The hub of derefd run may end between the two samples of the status. Then the first one is printed, without the present rate.
func TestLater(t *testing.T) {
	t.Parallel()
	server, err := hub.Serve(&hub.ServerOptions{Dir: t.TempDir(), SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	j, err := hub.Create(t.Context(), conn, "ended", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	server.Close()
	first := &hub.Status{Added: 1}
	if s, now, err := later(t.Context(), j, first); s != first || now >= 0 || err != nil {
		t.Errorf("got %+v, %v, %v, want the first sample without a rate", s, now, err)
	}
}
