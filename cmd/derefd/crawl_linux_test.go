package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

const (
	worldPause  = 20 * time.Millisecond
	worldDelay  = 60 * time.Millisecond // Crawl-delay of every fifth host
	worldBudget = 20                    // documents of a host besides its pages
	worldLoop   = 5                     // directories of an endless loop that are not a trap yet
)

// A world is a generated web: the pages of each host form a tree, and link to the next host, to pages that robots.txt forbids, to a host that is out of
// scope, and of some hosts to directories that contain themselves or to an endless calendar. It knows what no crawler may do.
type world struct {
	hosts, pages int
	lease        time.Duration
	visits       hubtest.Visits

	mu       sync.Mutex
	served   map[string]time.Time // host to its latest response
	slow     map[string]schedule  // by host
	refused  map[string]time.Time // host to the end of its Retry-After
	recorded map[string]bool      // hosts whose pause is in the hub
	killed   map[string]bool      // addresses of workers
	mistakes map[string]int
}

// follow reads the pauses in the states of a job's partitions.
func (w *world) follow(t *testing.T, c *nats.Conn, j *hub.Job) {
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	name := "DEREF_" + j.Name
	in, err := js.OrderedConsumer(t.Context(), name, jetstream.OrderedConsumerConfig{FilterSubjects: []string{name + ".own.*"}})
	if err != nil {
		t.Fatal(err)
	}
	states, err := in.Consume(func(m jetstream.Msg) {
		var state struct{ Rests map[string]int64 }
		json.NewDecoder(bytes.NewReader(m.Data())).Decode(&state)
		w.mu.Lock()
		defer w.mu.Unlock()
		for host, seconds := range state.Rests {
			if time.Duration(seconds)*time.Second > w.lease { // not one between any two requests
				w.recorded[host] = true
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(states.Stop)
}

// kill ends a worker after a share of the pages, if possible while a pause is in force that lasts longer than a lease. All pauses in force are
// recorded then: a worker that is killed while it receives a refusal cannot record that, so no server refuses a request meanwhile.
func (w *world) kill(p *hubtest.Process, addr string, quarters int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	pauses, now := false, time.Now()
	for host, until := range w.refused {
		pauses = pauses || until.After(now.Add(w.lease))
		if !w.recorded[host] && now.Before(until) {
			return false
		}
	}
	if done := w.visits.Total() * 4 / (w.hosts * w.pages); done < quarters || !pauses && done == quarters {
		return false
	}
	p.Kill()
	w.killed[addr] = true
	return true
}

// A schedule is the first request of a host, and the number of all. Crawl-delay applies between the times at which requests begin. The server sees only
// when they arrive, but the second one begins after the first has arrived.
type schedule struct {
	first time.Time
	n     int
}

// retryAfter is the Retry-After of every fourth host: longer than others need to take over its partition.
func (w *world) retryAfter() time.Duration { return 2*w.lease + time.Second }

func workerAddr(n int) string { return fmt.Sprint("127.1.0.", n+1) }

func (w *world) host(n int) string { return fmt.Sprintf("h%d.test", n%w.hosts) }

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	worker, _, _ := net.SplitHostPort(r.RemoteAddr)
	defer w.visits.Begin(r.Host, worker)()
	var number, page int
	fmt.Sscanf(r.Host, "h%d.test", &number)
	isPage := r.URL.Path == "/"
	if n, err := fmt.Sscanf(r.URL.Path, "/p%d", &page); err == nil && n == 1 {
		isPage = true
	}
	isSlow := number%5 == 1
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killed[worker] { // nobody reads the response to a request that has waited here meanwhile
		return
	}
	now := time.Now()
	mistake := func(is bool, text string) {
		if is {
			w.mistakes[text]++
		}
	}
	mistake(!strings.HasSuffix(r.Host, ".test"), "out of scope: "+r.Host)
	mistake(strings.HasPrefix(r.URL.Path, "/private/"), "forbidden by robots.txt")
	mistake(now.Before(w.refused[r.Host]), "sooner than Retry-After")
	if r.URL.Path == "/robots.txt" {
		fmt.Fprint(out, "User-agent: *\nDisallow: /private/\n")
		if isSlow {
			fmt.Fprintf(out, "Crawl-delay: %g\n", worldDelay.Seconds())
		}
		return
	}
	mistake(now.Before(w.served[r.Host].Add(worldPause)), "sooner than the pause")
	if s := w.slow[r.Host]; s.n == 0 {
		w.slow[r.Host] = schedule{now, 1}
	} else {
		mistake(isSlow && now.Before(s.first.Add(worldPause+time.Duration(s.n-1)*worldDelay)), "sooner than Crawl-delay")
		w.slow[r.Host] = schedule{s.first, s.n + 1}
	}
	w.served[r.Host] = now
	if _, before := w.refused[r.Host]; page == 7 && number%4 == 0 && !before {
		w.refused[r.Host] = now.Add(w.retryAfter())
		out.Header().Set("Retry-After", strconv.Itoa(int(w.retryAfter().Seconds())))
		out.WriteHeader(http.StatusTooManyRequests)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	switch {
	case isPage:
		for n := 3*page + 1; n <= 3*page+3 && n < w.pages; n++ {
			fmt.Fprintf(out, "<a href=/p%d#x>p</a> ", n)
		}
		fmt.Fprintf(out, "<a href=http://%s/>next</a> <a href=http://out.example/>out</a> <a href=/private/x>p</a>", w.host(number+1))
		if number%10 == 8 {
			fmt.Fprint(out, "<a href=/loop/>l</a>")
		} else if number%10 == 9 {
			fmt.Fprint(out, "<a href=/calendar?day=1>c</a>")
		}
	case r.URL.Path == "/calendar":
		day, _ := strconv.Atoi(r.FormValue("day"))
		fmt.Fprintf(out, "<a href=/calendar?day=%d>next day</a>", day+1)
	default:
		fmt.Fprint(out, "<a href=x/>deeper</a>")
	}
}

// wanted returns the URIs of the world that have a document, or an error, and how many more of a host may have one.
func (w *world) wanted() map[string]fetch.Kind {
	list := map[string]fetch.Kind{}
	for number := range w.hosts {
		root := "http://" + w.host(number) + "/"
		list[root], list[root+"private/x"] = "", fetch.ErrDenied
		for n := 1; n < w.pages; n++ {
			list[fmt.Sprint(root, "p", n)] = ""
		}
		for n := range worldLoop {
			if number%10 == 8 {
				list[root+"loop/"+strings.Repeat("x/", n)] = ""
			}
		}
		for n := range worldBudget {
			if number%10 == 9 {
				list[fmt.Sprint(root, "calendar?day=", n+1)] = ""
			}
		}
	}
	return list
}

// A crawl by four workers, two of which are killed, has one result of every page in scope, and does to no host what it must not:
// DEREF_CRAWL=1000 go test ./cmd/derefd -run TestCrawl -v -count 1 -timeout 0    # 1,000 hosts with 100 pages each
func TestCrawl(t *testing.T) {
	long(t, "it kills workers, and waits for their leases")
	w := &world{hosts: 20, pages: 25, lease: 2 * time.Second, served: map[string]time.Time{}, slow: map[string]schedule{}, refused: map[string]time.Time{}, recorded: map[string]bool{}, killed: map[string]bool{}, mistakes: map[string]int{}}
	if n, err := strconv.Atoi(os.Getenv("DEREF_CRAWL")); err == nil {
		w.hosts, w.pages, w.lease = n, 100, 15*time.Second
	}
	web := httptest.NewServer(w)
	t.Cleanup(web.Close)
	job := jobOf(t, fmt.Sprintf("task = \"crawl\"\ndepth = 2000\nhosts = [\"*.test\"]\npause = %g\nretries = 2\nhost-documents = %d\npartitions = 64\nconnections = 64\n",
		worldPause.Seconds(), w.pages+worldBudget))
	s := hubtest.Serve(t, "127.0.0.1:0")
	c, err := hub.Dial(s.URL(""), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	f, err := readJob(job)
	if err != nil {
		t.Fatal(err)
	}
	o := f.options()
	o.Lease = w.lease
	j, err := hub.Create(t.Context(), c, f.name, o)
	if err != nil {
		t.Fatal(err)
	}
	w.follow(t, c, j)
	derefd(t, 0, "add", job, fileIn(t, t.TempDir(), "seeds", "http://"+w.host(0)), "--hub", s.URL(""))
	var workers []*hubtest.Process
	for n := range 4 {
		workers = append(workers, hubtest.Start(t, []string{"DEREFD_TEST=1", "DEREFD_TEST_FROM=" + workerAddr(n), "DEREFD_TEST_TO=" + web.Listener.Addr().String()},
			"work", job, "--hub", s.URL(""), "--name", fmt.Sprint("w", n), "--log"))
	}
	late := 0 // leases that were lost because the machine is slow: a request that was just begun may come while another worker owns its host
	for n, p := range workers {
		if n >= 2 {
			p.Wait()
			late += p.Count("lease lost") + p.Count("late write rejected")
			continue
		}
		loopback.Until(t, "a part of the pages, and a server that refuses requests", func() bool { return w.kill(p, workerAddr(n), n+1) })
		late += p.Count("lease lost")
	}
	if late == 0 {
		w.visits.Check(t, nil)
	}
	for text, n := range w.mistakes {
		if late == 0 || !strings.HasPrefix(text, "sooner") {
			t.Errorf("got %d requests %s, want none", n, text)
		}
	}
	got, want := map[string]int{}, w.wanted()
	if err := j.Results(t.Context(), func(r *hub.Result) error {
		got[r.URI]++
		if kind, ok := want[r.URI]; !ok || kind != r.Error {
			t.Errorf("%s: got the error %q %s, want %q, %t", r.URI, r.Error, r.Text, kind, ok)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for u := range want {
		if got[u] != 1 {
			t.Errorf("%s: got %d results, want 1", u, got[u])
		}
	}
	st, err := j.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d results of %d hosts, %d requests, %d refusals, %d lost leases, %v", len(got), w.hosts, w.visits.Total(), len(w.refused), late, st.Latest.Sub(st.Created))
}
