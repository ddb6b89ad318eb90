//go:build unix || windows

package hub_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/batch/logtest"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
	"github.com/nats-io/nats.go"
)

// connect starts a server and returns a connection to it.
func connect(t testing.TB) *nats.Conn {
	t.Helper()
	s := hubtest.Serve(t, "")
	c, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// dial returns a connection to a server, which is closed with the test.
func dial(t testing.TB, url string) *nats.Conn {
	t.Helper()
	c, err := hub.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func newJob(t testing.TB, c *nats.Conn, name string, o *hub.JobOptions) *hub.Job {
	t.Helper()
	j, err := hub.Create(t.Context(), c, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// seal ends a job's list of URIs.
func seal(t testing.TB, j *hub.Job) {
	t.Helper()
	if err := j.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// addLast adds the last URI of a job, and seals it.
func addLast(t testing.TB, j *hub.Job, u uri.URI, note json.RawMessage) {
	t.Helper()
	if _, err := j.Add(u, note); err != nil {
		t.Fatal(err)
	}
	seal(t, j)
}

// The Log of a partition keeps the promises of batch.Log.
func TestLog(t *testing.T) {
	t.Parallel()
	c := connect(t)
	logtest.Test(t, func(t *testing.T, name string) batch.Log {
		t.Helper()
		// Not t.Context, which ends before the cleanup of the test.
		j, err := hub.Create(context.Background(), c, strings.ReplaceAll(name, " ", "_"), &hub.JobOptions{Partitions: 4})
		if err != nil {
			t.Fatal(err)
		}
		return j.Log(3)
	})
}

// long skips a test in short runs. Otherwise the test runs next to others.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
	t.Parallel()
}

// TestMain plays the processes of the tests, which execute this binary again.
func TestMain(m *testing.M) {
	if role := os.Getenv("DEREF_HUB_TEST"); role != "" {
		play(role)
		return
	}
	fetchtest.Overlap()
	os.Exit(m.Run())
}
