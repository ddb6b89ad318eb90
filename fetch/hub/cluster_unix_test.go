//go:build unix

package hub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// A cluster is three servers.
type cluster struct {
	nodes map[string]*hubtest.Process // by name
	url   string                      // of all
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	var clients, routes [3]string
	for i := range clients {
		clients[i], routes[i] = loopback.Reserve(t), loopback.Reserve(t)
	}
	c := &cluster{nodes: map[string]*hubtest.Process{}, url: "nats://" + strings.Join(clients[:], ",nats://")}
	for i := range clients {
		name := fmt.Sprint("node", i)
		c.nodes[name] = start(t, "node", append([]string{filepath.Join(dir, name), clients[i], routes[i]}, routes[:]...)...)
	}
	return c
}

// leader returns the name of the server that has the job's stream.
func (c *cluster) leader(t *testing.T, conn *nats.Conn) (name string) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	loopback.Until(t, "leader", func() bool {
		s, err := js.Stream(t.Context(), "DEREF_"+playedJob)
		if err != nil || s.CachedInfo().Cluster == nil {
			return false
		}
		name = s.CachedInfo().Cluster.Leader
		return name != ""
	})
	return name
}

// A cluster that loses the server with the job's stream loses nothing else: DEREF_HUB_URIS=6000 go test ./fetch/hub -run TestCluster -v
func TestCluster(t *testing.T) {
	pages, err := strconv.Atoi(os.Getenv("DEREF_HUB_URIS"))
	if err != nil {
		t.Skip("DEREF_HUB_URIS is the number of URIs")
	}
	nodes, s := newCluster(t), newSite(t, pages)
	release := s.hold(200) // so that the rest is there to do when a server is killed
	conn := dial(t, nodes.url)
	var j *hub.Job
	loopback.Until(t, "job", func() bool {
		j, err = hub.Create(t.Context(), conn, playedJob, &hub.JobOptions{Partitions: 16, Lease: 6 * time.Second, Replicas: 3})
		return err == nil
	})
	t.Log("a job")
	loopback.Until(t, "first URI", func() bool { _, err := j.Add(playedPage(0), nil); return err == nil && j.Seal(t.Context()) == nil })
	late := map[string]bool{}
	var workers []*hubtest.Process
	for _, name := range []string{"a", "b"} {
		workers = append(workers, start(t, "worker", nodes.url, name, s.URL))
	}
	s.await(200)
	name := nodes.leader(t, conn)
	nodes.nodes[name].Kill()
	t.Log(name + ", the leader, killed")
	release()
	loopback.Until(t, "the end", func() bool {
		st, err := j.Status(t.Context())
		return err == nil && st.Finished()
	})
	t.Log("finished")
	checkOnce(t, j, pages)
	for i, w := range workers {
		late[string(rune('a'+i))] = w.Count("lease lost") > 0
	}
	s.check(t, late)
}
