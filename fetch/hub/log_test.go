//go:build unix || windows

package hub_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/batch/logtest"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
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
