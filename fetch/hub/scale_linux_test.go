package hub_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// The tests of this file print tables, for a machine that does nothing else:
//
//	GOMEMLIMIT=400MiB DEREF_HUB_SCALE=1000000 go test ./fetch/hub -run TestScale -v -timeout 0
//
// The number is the largest of the memory curve, and the limit on memory is that of derefd. Throughput takes two minutes, and a million URIs take one.

// scale returns the value of DEREF_HUB_SCALE, or skips the test.
func scale(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("DEREF_HUB_SCALE"))
	if err != nil {
		t.Skip("DEREF_HUB_SCALE is the largest number of URIs")
	}
	return n
}

// scaledJob starts a hub, and creates a job with some URIs.
func scaledJob(t *testing.T, uris int) (server *hubtest.Process, url string, j *hub.Job) {
	t.Helper()
	addr := loopback.Reserve(t)
	server = start(t, "hub", t.TempDir(), addr)
	c := dial(t, "nats://"+addr)
	j = newJob(t, c, playedJob, nil)
	addPages(t, j, 0, uris)
	seal(t, j)
	return server, "nats://" + addr, j
}

// finish waits until the workers end with the job, and returns its status.
func finish(t *testing.T, j *hub.Job, workers []*hubtest.Process) *hub.Status {
	t.Helper()
	for _, p := range workers {
		if err := p.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := j.Status(t.Context())
	if err != nil || !s.Finished() {
		t.Fatalf("got %+v, %v, want a finished job", s, err)
	}
	return s
}

// The throughput with 1, 2 and 4 workers of eight connections each, and 200 hosts that answer in 50 ms: from 10 to 80 percent of the requests, which
// are 4,000 per worker.
func TestScaleThroughput(t *testing.T) {
	scale(t)
	t.Logf("workers  URIs/s  of linear")
	first := 0.0
	for _, workers := range []int{1, 2, 4} {
		uris := 4000 * workers
		var served atomic.Int64
		var begin, end atomic.Int64
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
			fmt.Fprint(w, "[]")
			switch served.Add(1) {
			case int64(uris / 10):
				begin.Store(time.Now().UnixNano())
			case int64(uris * 8 / 10):
				end.Store(time.Now().UnixNano())
			}
		}))
		server, url, j := scaledJob(t, uris)
		var all []*hubtest.Process
		for i := range workers {
			all = append(all, start(t, "worker", url, fmt.Sprint("w", i), web.URL))
		}
		finish(t, j, all)
		rate := float64(uris) * 0.7 / time.Duration(end.Load()-begin.Load()).Seconds()
		if workers == 1 {
			first = rate
		}
		t.Logf("%7d  %6.0f  %9.2f", workers, rate, rate/first/float64(workers))
		for _, p := range append(all, server) {
			p.Kill()
		}
		web.Close()
	}
}

// The memory and the throughput of jobs whose documents take no time, with two workers.
func TestScaleMemory(t *testing.T) {
	most := scale(t)
	t.Logf("    URIs  added/s  seconds  URIs/s  hub MiB  worker MiB  log bytes/URI")
	for uris := 100_000; uris <= most; uris *= 10 {
		began := time.Now()
		server, url, j := scaledJob(t, uris)
		adding := time.Since(began).Seconds()
		began = time.Now()
		var workers []*hubtest.Process
		for i := range 2 {
			workers = append(workers, start(t, "synthetic", url, fmt.Sprint("w", i)))
		}
		stop := make(chan struct{})
		var peaks sync.WaitGroup
		worker := 0.0
		peaks.Go(func() { // of the workers, which end with the job
			for {
				for _, p := range workers {
					worker = max(worker, peak(p))
				}
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
		s := finish(t, j, workers)
		took := time.Since(began).Seconds()
		close(stop)
		peaks.Wait()
		t.Logf("%8d  %7.0f  %7.0f  %6.0f  %7.0f  %10.0f  %13.0f", s.Done, float64(uris)/adding, took, float64(uris)/took, peak(server), worker, float64(s.Stored)/float64(uris))
		if s.Done != int64(uris) {
			t.Errorf("got %+v, want %d done", s.Totals, uris)
		}
		for _, p := range append(workers, server) {
			p.Kill()
		}
	}
}

// peak returns the largest resident size of a process in MiB, or 0 if it has ended.
func peak(p *hubtest.Process) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid()))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, err := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	if err != nil {
		return 0
	}
	return kib / 1024
}
