//go:build unix || windows

package hub_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// A lossy network loses the server's reply to the first message on a subject.
type lossy struct {
	to, subject string

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

// note remembers where the reply to the first message goes.
func (n *lossy) note(words []string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inbox == "" && words[0] == "HPUB" && words[1] == n.subject {
		n.inbox = words[2]
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
	if testing.Short() {
		t.Skip("it waits for a reply that does not arrive")
	}
	t.Parallel()
	s, err := hub.Serve(&hub.ServerOptions{Dir: t.TempDir(), Addr: "127.0.0.1:0", SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	network := &lossy{to: strings.TrimPrefix(s.URL(""), "nats://"), subject: "DEREF_settled.own.1"}
	near := loopback.ForTest(t, network.serve)
	open := func(url string) *hub.Job {
		t.Helper()
		c, err := hub.Dial(url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		// The lease lives until the reply is given up.
		j, err := hub.Create(t.Context(), c, "settled", &hub.JobOptions{Partitions: 2, Lease: 12 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	a, b := open("nats://"+near), open(s.URL(""))
	for n := range 40 {
		if _, err := b.Add(linkedPage(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
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
	hubtest.Until(t, "partitions of a", func() bool { return hubtest.Owned(t, b, "a") == 2 })
	work(b, "b") // so that the share of a is one partition
	hubtest.Until(t, "the end", func() bool {
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
