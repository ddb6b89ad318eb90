//go:build unix

package hub_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// The long form of TestNothingIsLost: DEREF_HUB_URIS=200000 go test ./fetch/hub -run TestChaos -v -count 1 -timeout 0
//
// That of package main of cmd/derefd has archives in addition.
func TestChaos(t *testing.T) {
	pages, err := strconv.Atoi(os.Getenv("DEREF_HUB_URIS"))
	if err != nil {
		t.Skip("DEREF_HUB_URIS is the number of URIs")
	}
	dir, addr := t.TempDir(), loopback.Reserve(t)
	relay, near := hubtest.Network(t, addr)
	s, server, j := playedJobOf(t, pages, dir, addr, 6*time.Second)
	conn, err := hub.Dial("nats://"+addr, nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	c := &hubtest.Chaos{Job: j, Conn: conn, Relay: relay, Hub: server,
		StartHub:    func() *hubtest.Process { return start(t, "hub", dir, addr) },
		StartWorker: func(name string) *hubtest.Process { return start(t, "worker", "nats://"+near, name, s.URL) }}
	c.Run(t)
	checkOnce(t, j, pages)
	status, err := j.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.check(t, c.Frozen)
	t.Logf("%d URIs: %d late writes rejected, %d bytes of log; %v", pages, c.Late, status.Stored, c.Counts)
}
