package hub_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub/hubtest"
)

// TestScaleMemory prints the memory and the throughput of jobs whose documents take no time, with two workers, on a machine that does nothing else:
//
//	GOMEMLIMIT=400MiB DEREF_HUB_SCALE=1000000 go test ./fetch/hub -run TestScale -v -timeout 0
//
// The number is the largest of the memory curve, and the limit on memory is that of derefd.
func TestScaleMemory(t *testing.T) {
	most, err := strconv.Atoi(os.Getenv("DEREF_HUB_SCALE"))
	if err != nil {
		t.Skip("DEREF_HUB_SCALE is the largest number of URIs")
	}
	t.Logf("    URIs  added/s  seconds  URIs/s  hub MiB  worker MiB  log bytes/URI")
	for uris := 100_000; uris <= most; uris *= 10 {
		began := time.Now()
		addr := loopback.Reserve(t)
		server := start(t, "hub", t.TempDir(), addr)
		j := newJob(t, dial(t, "nats://"+addr), playedJob, nil)
		addPages(t, j, 0, uris)
		seal(t, j)
		adding := time.Since(began).Seconds()
		began = time.Now()
		var workers []*hubtest.Process
		for i := range 2 {
			workers = append(workers, start(t, "synthetic", "nats://"+addr, fmt.Sprint("w", i)))
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
		for _, p := range workers {
			if err := p.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(began).Seconds()
		close(stop)
		peaks.Wait()
		s, err := j.Status(t.Context())
		if err != nil || s.Done != int64(uris) {
			t.Fatalf("got %+v, %v, want %d done", s, err, uris)
		}
		t.Logf("%8d  %7.0f  %7.0f  %6.0f  %7.0f  %10.0f  %13.0f", s.Done, float64(uris)/adding, took, float64(uris)/took, peak(server), worker, float64(s.Stored)/float64(uris))
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
