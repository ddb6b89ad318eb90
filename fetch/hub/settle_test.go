//go:build unix || windows

package hub_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/hub"
)

// A lossy network loses the server's reply to one message on the subjects with a prefix.
type lossy struct {
	*history
	subject string
	after   int // messages on these subjects whose replies arrive

	mu    sync.Mutex
	inbox string // of the reply; "" until the message was sent
}

// InProcessConn connects to the hub.
func (n *lossy) InProcessConn() (net.Conn, error) {
	far, err := n.server.Pipe()
	if err != nil {
		return nil, err
	}
	client, near := fetchtest.Pipe()
	go relayFrames(far, near, func(words []string) bool { return n.note(words) })
	go relayFrames(near, far, func(words []string) bool { return !n.isLost(words) })
	return client, nil
}

// dial connects to the hub over the network.
func (n *lossy) dial() *nats.Conn {
	c, err := hub.Dial("nats://hub", nats.InProcessServer(n))
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(c.Close)
	return c
}

// open opens the job over the network.
func (n *lossy) open(name string) *hub.Job {
	j, err := hub.Open(n.ended, n.dial(), name)
	if err != nil {
		n.Fatal(err)
	}
	return j
}

// note remembers where the reply that is lost goes.
func (n *lossy) note(words []string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inbox == "" && strings.HasSuffix(words[0], "PUB") && strings.HasPrefix(words[1], n.subject) {
		if n.after--; n.after < 0 {
			n.inbox = words[2]
		}
	}
	return true
}

// check checks that there was a message whose reply was lost.
func (n *lossy) check() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inbox == "" {
		n.Errorf("got no message on %s, want one whose reply is lost", n.subject)
	}
}

func (n *lossy) isLost(words []string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inbox != "" && (words[0] == "MSG" || words[0] == "HMSG") && words[1] == n.inbox
}

// relayFrames copies the lines of the NATS protocol, with the payloads that follow some, if pass returns true for their words.
func relayFrames(to, from net.Conn, pass func(words []string) bool) {
	defer to.Close()
	defer from.Close()
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		words := append(strings.Fields(line), "")
		var payload []byte
		switch words[0] {
		case "PUB", "HPUB", "MSG", "HMSG":
			size, err := strconv.Atoi(words[len(words)-2])
			if err != nil {
				return
			}
			payload = make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(in, payload); err != nil {
				return
			}
		}
		if !pass(words) {
			continue
		}
		if _, err := to.Write(append([]byte(line), payload...)); err != nil {
			return
		}
	}
}

// A worker whose claim of a partition was stored, although the reply was lost, does not leave the partition to nobody: others cannot claim it while
// the lease lives, and the worker itself has its share without it.
func TestLostReply(t *testing.T) {
	simulate(t, 0, func(h *history) {
		network := &lossy{history: h, subject: "DEREF_settled.own.1"}
		b := newJob(h.T, h.conn, "settled", &hub.JobOptions{Partitions: 2})
		addPages(h.T, b, 0, 40)
		seal(h.T, b)
		var all sync.WaitGroup
		work := func(j *hub.Job, name string) {
			all.Go(func() {
				task := func(context.Context, *batch.Item, hub.AddFunc) (int64, error) { return 1, nil }
				if err := j.Work(h.ended, task, &hub.WorkOptions{Name: name, Dir: h.TempDir()}); err != nil {
					h.Errorf("%s: got %v, want nil", name, err)
				}
			})
		}
		work(network.open("settled"), "a")
		h.until("partitions of a", func(context.Context) error {
			if n := owned(h.T, b, "a"); n != 2 {
				return fmt.Errorf("%d", n)
			}
			return nil
		})
		work(b, "b") // so that the share of a is one partition
		all.Wait()
		checkOnce(h.T, b, 40)
		network.check()
	})
}

// A job whose leases cannot be read is not deleted, since a worker may be at work.
func TestDeleteWithoutReply(t *testing.T) {
	simulate(t, 0, func(h *history) {
		newJob(h.T, h.conn, "kept", &hub.JobOptions{Partitions: 1})
		network := &lossy{history: h, subject: "$JS.API.STREAM.INFO.KV_DEREF_kept_workers"}
		if err := hub.Delete(h.Context(), network.dial(), "kept"); fetch.KindOf(err) != fetch.ErrTimeout {
			h.Errorf("got %v, want %s", err, fetch.ErrTimeout)
		}
		if _, err := hub.Open(h.ended, h.conn, "kept"); err != nil {
			h.Errorf("got %v, want the job", err)
		}
		network.check()
	})
}

// A worker whose renewal was stored, although the reply was lost, renews the lease again before it must stop.
func TestLostRenewal(t *testing.T) {
	simulate(t, 0, func(h *history) {
		network := &lossy{history: h, subject: "$KV.DEREF_renewed_workers.", after: 1}
		addLast(h.T, newJob(h.T, h.conn, "renewed", &hub.JobOptions{Partitions: 1, Lease: historyLease}), linkedPage(0), nil)
		var mu sync.Mutex
		var names []string
		err := network.open("renewed").Work(h.ended, func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
			time.Sleep(3 * historyLease)
			return 1, nil
		}, &hub.WorkOptions{Dir: h.TempDir(), Report: func(event string, _ ...any) {
			mu.Lock()
			defer mu.Unlock()
			names = append(names, event)
		}})
		if want := []string{"lease", "partitions", "renewal failed", "finished"}; err != nil || !slices.Equal(names, want) {
			h.Errorf("got the events %q, %v, want %q: the same lease", names, err, want)
		}
		network.check()
	})
}

// A worker whose results were stored, although the reply was lost, sends the same message again, and learns that.
func TestLostResults(t *testing.T) {
	simulate(t, 0, func(h *history) {
		network := &lossy{history: h, subject: "DEREF_answered.own.0", after: 1} // the claim
		const pages = 50
		j := newJob(h.T, h.conn, "answered", &hub.JobOptions{Partitions: 1})
		addPages(h.T, j, 0, pages)
		seal(h.T, j)
		var mu sync.Mutex
		fetched, events := 0, map[string]int{}
		if err := network.open("answered").Work(h.ended, func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			fetched++
			return 1, nil
		}, &hub.WorkOptions{Dir: h.TempDir(), Report: func(event string, _ ...any) {
			mu.Lock()
			defer mu.Unlock()
			events[event]++
		}}); err != nil {
			h.Fatal(err)
		}
		checkOnce(h.T, j, pages)
		if fetched != pages || events["waiting for the hub"] != 1 || events["partition given up"] != 0 {
			h.Errorf("got %d requests and the events %v, want %d, and one time of waiting for the hub", fetched, events, pages)
		}
		network.check()
	})
}
