//go:build unix || windows

package hub_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// An outage is a job during which one or two workers cannot use the hub for some time, while the server of the documents counts the requests.
type outage struct {
	*testing.T
	name      string
	dir, addr string // of the hub
	server    *hub.Server
	relays    map[string]*fetchtest.Relay // by worker
	job       *hub.Job
	conn      *nats.Conn // not by the relay

	mu        sync.Mutex
	served    map[string]int
	total     int
	interrupt map[int]func() // by the number of the request before which it is called
	events    map[string]int
	lost      int64  // results that workers have reported as lost
	restore   func() // is called when both workers have lost their leases, or one has finished the job
}

const (
	outagePages       = 400
	outageConnections = 8
)

func (o *outage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total++
	o.served[r.URL.Path]++
	if f := o.interrupt[o.total]; f != nil {
		f()
	}
	fmt.Fprint(w, "[]")
}

// serve starts the hub, which has the same directory and address each time.
func (o *outage) serve() {
	s, err := hub.Serve(&hub.ServerOptions{Dir: o.dir, Addr: o.addr, SyncInterval: time.Minute})
	if err != nil {
		o.Error(err)
		return
	}
	o.server = s
}

// restart stops the hub, and starts it again.
func (o *outage) restart() {
	o.server.Close()
	o.serve()
}

// configure changes the streams of the job and of the leases.
func (o *outage) configure(change func(c *jetstream.StreamConfig), names ...string) {
	js, err := jetstream.New(o.conn)
	if err != nil {
		o.Error(err)
		return
	}
	for _, name := range names {
		loopback.Until(o.T, "another configuration", func() bool {
			s, err := js.Stream(context.Background(), name)
			if err != nil {
				return false
			}
			c := s.CachedInfo().Config
			change(&c)
			_, err = js.UpdateStream(context.Background(), c)
			return err == nil
		})
	}
}

// fill lets the hub refuse everything, as it does when its disk is full, or ends that.
func (o *outage) fill(full bool) {
	o.configure(func(c *jetstream.StreamConfig) {
		if c.MaxBytes = -1; full {
			c.MaxBytes = 1
		}
	}, "DEREF_"+o.name, o.leases())
}

// leases returns the name of the stream with the leases.
func (o *outage) leases() string { return "KV_DEREF_" + o.name + "_workers" }

// forget removes the leases, as a hub does whose clock has gone forward.
func (o *outage) forget() {
	js, err := jetstream.New(o.conn)
	if err != nil {
		o.Error(err)
		return
	}
	s, err := js.Stream(context.Background(), o.leases())
	if err == nil {
		err = s.Purge(context.Background())
	}
	if err != nil {
		o.Error(err)
	}
}

// cut ends the connections of a worker to the hub and allows no other, or ends that.
func (o *outage) cut(name string, cut bool) {
	o.relays[name].Set(fetchtest.Faults{Refuse: cut})
	if cut {
		o.relays[name].Break()
	}
}

func (o *outage) report(event string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.events[event]++; event == "results lost" {
		o.lost += args[len(args)-1].(int64)
	}
	if o.restore != nil && (o.events["lease lost"] == 2 || o.events["finished"] > 0) {
		o.restore()
		o.restore = nil
	}
}

// run carries out the job with two workers, and returns how many requests were repeated.
func (o *outage) run() (repeated int) {
	web := httptest.NewServer(o)
	o.Cleanup(web.Close)
	for n := range outagePages {
		if _, err := o.job.Add(playedPage(n), nil); err != nil {
			o.Fatal(err)
		}
	}
	if err := o.job.Seal(o.Context()); err != nil {
		o.Fatal(err)
	}
	var workers sync.WaitGroup
	for name, relay := range o.relays {
		near, err := relay.Listen(o.addr)
		if err != nil {
			o.Fatal(err)
		}
		c, err := hub.Dial("nats://" + near)
		if err != nil {
			o.Fatal(err)
		}
		o.Cleanup(c.Close)
		j, err := hub.Open(o.Context(), c, o.name)
		if err != nil {
			o.Fatal(err)
		}
		workers.Go(func() {
			if err := j.Work(o.Context(), httpTask(web.URL, name), &hub.WorkOptions{Name: name, Dir: o.TempDir(), Connections: outageConnections,
				Batch: batch.Options{PerHost: 2}, Report: o.report}); err != nil {
				o.Errorf("%s: got %v, want nil", name, err)
			}
		})
	}
	workers.Wait()
	loopback.Until(o.T, "results", func() bool { // the connection that they need may be broken still
		_, err := o.job.Status(o.Context())
		return err == nil
	})
	checkOnce(o.T, o.job, outagePages)
	return o.total - outagePages
}

// An interruption costs the requests in flight at most: what was fetched is recorded as soon as the hub can. The clock of the hub decides nothing.
func TestOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const inFlight = 2 * outageConnections
	repeat := func(f func(o *outage)) func(o *outage) int {
		return func(o *outage) int {
			for n := 60; n <= 360; n += 60 {
				o.interrupt[n] = func() { f(o) }
			}
			return 6 * inFlight
		}
	}
	once := func(begin, end func(o *outage)) func(o *outage) int {
		return func(o *outage) int {
			o.interrupt[200] = func() { begin(o) }
			o.restore = func() { end(o) }
			return inFlight
		}
	}
	for name, plan := range map[string]func(o *outage) (most int){
		"restarts": repeat((*outage).restart),
		"resets": repeat(func(o *outage) {
			o.relays["a"].Break()
			o.relays["b"].Break()
		}),
		"hole": once(func(o *outage) {
			o.cut("a", true)
			o.cut("b", true)
		}, func(o *outage) {
			o.cut("a", false)
			o.cut("b", false)
		}),
		"full":          once(func(o *outage) { o.fill(true) }, func(o *outage) { o.fill(false) }),
		"clock forward": once((*outage).forget, func(*outage) {}),
		// The hub does not remove the lease of a worker that it cannot see any more.
		"clock back": func(o *outage) int {
			o.configure(func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, o.leases())
			once(func(o *outage) { o.cut("a", true) }, func(o *outage) { o.cut("a", false) })(o)
			return outagePages // what the worker has fetched but not recorded
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outage{T: t, name: strings.ReplaceAll(name, " ", "-"), dir: t.TempDir(), addr: loopback.Reserve(t), served: map[string]int{},
				interrupt: map[int]func(){}, events: map[string]int{}, relays: map[string]*fetchtest.Relay{}}
			o.serve()
			t.Cleanup(func() { o.server.Close() })
			for _, name := range []string{"a", "b"} {
				r := fetchtest.NewRelay(fetchtest.Faults{})
				t.Cleanup(func() { r.Close() })
				o.relays[name] = r
			}
			var err error
			if o.conn, err = hub.Dial("nats://" + o.addr); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(o.conn.Close)
			if o.job, err = hub.Create(t.Context(), o.conn, o.name, &hub.JobOptions{Partitions: 16, Lease: 3 * time.Second}); err != nil {
				t.Fatal(err)
			}
			most := plan(o)
			repeated := o.run()
			t.Logf("%d of %d requests were repeated; %v", repeated, outagePages, o.events)
			if repeated > most {
				t.Errorf("got %d repeated requests of %d, want at most the %d in flight", repeated, outagePages, most)
			}
			if o.lost > int64(repeated) || int64(repeated)-o.lost > inFlight {
				t.Errorf("got %d lost results for %d repeated requests, want as many, but for those in flight", o.lost, repeated)
			}
			if failed := o.events["renewal failed"]; name == "clock forward" && failed > len(o.relays) {
				t.Errorf("got %d failed renewals, want one of each worker, which creates its lease again", failed)
			}
		})
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
