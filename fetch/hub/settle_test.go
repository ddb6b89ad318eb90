//go:build unix || windows

package hub_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// A lossy network loses the server's reply to one message on the subjects with a prefix.
type lossy struct {
	to, subject string
	after       int // messages on these subjects whose replies arrive

	mu    sync.Mutex
	inbox string // of the reply; "" until the message was sent
}

func (n *lossy) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", n.to)
	if err != nil {
		return
	}
	defer far.Close()
	go func() {
		relayFrames(far, near, func(words []string) bool { return n.note(words) })
		far.Close()
	}()
	relayFrames(near, far, func(words []string) bool { return !n.isLost(words) })
}

// note remembers where the reply that is lost goes.
func (n *lossy) note(words []string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inbox == "" && words[0] == "HPUB" && strings.HasPrefix(words[1], n.subject) {
		if n.after--; n.after < 0 {
			n.inbox = words[2]
		}
	}
	return true
}

func (n *lossy) isLost(words []string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inbox != "" && (words[0] == "MSG" || words[0] == "HMSG") && words[1] == n.inbox
}

// relayFrames copies the lines of the NATS protocol, with the payloads that follow some, if pass returns true for their words.
func relayFrames(to io.Writer, from io.Reader, pass func(words []string) bool) {
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
	long(t, "it waits for a reply that does not arrive")
	s := hubtest.Serve(t, "127.0.0.1:0")
	network := &lossy{to: strings.TrimPrefix(s.URL(""), "nats://"), subject: "DEREF_settled.own.1"}
	near := loopback.ForTest(t, network.serve)
	open := func(url string) *hub.Job {
		t.Helper()
		c := dial(t, url)
		// The lease lives until the reply is given up.
		j := newJob(t, c, "settled", &hub.JobOptions{Partitions: 2, Lease: 12 * time.Second})
		return j
	}
	a, b := open("nats://"+near), open(s.URL(""))
	for n := range 40 {
		if _, err := b.Add(linkedPage(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	seal(t, b)
	var all sync.WaitGroup
	work := func(j *hub.Job, name string) {
		all.Go(func() {
			task := func(context.Context, *batch.Item, hub.AddFunc) (int64, error) { return 1, nil }
			if err := j.Work(t.Context(), task, &hub.WorkOptions{Name: name, Dir: t.TempDir()}); err != nil {
				t.Errorf("%s: got %v, want nil", name, err)
			}
		})
	}
	work(a, "a")
	loopback.Until(t, "partitions of a", func() bool { return hubtest.Owned(t, b, "a") == 2 })
	work(b, "b") // so that the share of a is one partition
	loopback.Until(t, "the end", func() bool {
		st, err := b.Status(t.Context())
		return err == nil && st.Finished()
	})
	all.Wait()
	checkOnce(t, b, 40)
	network.mu.Lock()
	defer network.mu.Unlock()
	if network.inbox == "" {
		t.Errorf("got no message on %s, want a claim", network.subject)
	}
}

// A worker whose renewal was stored, although the reply was lost, renews the lease again before it must stop.
func TestLostRenewal(t *testing.T) {
	long(t, "it waits for a reply that does not arrive")
	s := hubtest.Serve(t, "127.0.0.1:0")
	network := &lossy{to: strings.TrimPrefix(s.URL(""), "nats://"), subject: "$KV.DEREF_renewed_workers.", after: 1}
	c := dial(t, "nats://"+loopback.ForTest(t, network.serve))
	j := newJob(t, c, "renewed", &hub.JobOptions{Partitions: 1})
	addLast(t, j, linkedPage(0), nil)
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	leases, err := js.KeyValue(t.Context(), "DEREF_renewed_workers")
	if err != nil {
		t.Fatal(err)
	}
	renewed, events := make(chan struct{}), make(chan string, 100)
	var names []string
	ended := make(chan error, 1)
	go func() {
		ended <- j.Work(t.Context(), func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
			<-renewed
			return 1, nil
		}, &hub.WorkOptions{Dir: t.TempDir(), Report: func(event string, _ ...any) { events <- event }})
	}()
	loopback.Until(t, "second renewal or the end of the lease", func() bool {
		select {
		case e := <-events:
			names = append(names, e)
		default:
		}
		keys, err := leases.Keys(t.Context())
		if slices.Contains(names, "lease lost") {
			return true
		}
		if err != nil || len(keys) == 0 {
			return false
		}
		is, err := leases.Get(t.Context(), keys[0])
		return err == nil && is.Revision() >= 3 // of the lease, the lost renewal, and the next one
	})
	close(renewed)
	if err := <-ended; err != nil {
		t.Errorf("got %v, want nil", err)
	}
	close(events)
	for e := range events {
		names = append(names, e)
	}
	for _, want := range []string{"lease", "partitions", "renewal failed", "finished"} {
		if !slices.Contains(names, want) {
			t.Errorf("got the events %q, want %q among them", names, want)
		}
	}
	if slices.Contains(names, "lease lost") {
		t.Errorf("got the events %q, want the same lease", names)
	}
}

// A worker whose results were stored, although the reply was lost, sends the same message again, and learns that.
func TestLostResults(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a reply that does not arrive")
	}
	t.Parallel()
	s := hubtest.Serve(t, "127.0.0.1:0")
	network := &lossy{to: strings.TrimPrefix(s.URL(""), "nats://"), subject: "DEREF_answered.own.0", after: 1} // the claim
	c, err := hub.Dial("nats://" + loopback.ForTest(t, network.serve))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	j, err := hub.Create(t.Context(), c, "answered", &hub.JobOptions{Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	const pages = 50
	for n := range pages {
		if _, err := j.Add(linkedPage(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	fetched, events := 0, map[string]int{}
	if err := j.Work(t.Context(), func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
		mu.Lock()
		defer mu.Unlock()
		fetched++
		return 1, nil
	}, &hub.WorkOptions{Dir: t.TempDir(), Report: func(event string, _ ...any) {
		mu.Lock()
		defer mu.Unlock()
		events[event]++
	}}); err != nil {
		t.Fatal(err)
	}
	checkOnce(t, j, pages)
	if fetched != pages || events["waiting for the hub"] != 1 || events["partition given up"] != 0 {
		t.Errorf("got %d requests and the events %v, want %d, and one time of waiting for the hub", fetched, events, pages)
	}
}
