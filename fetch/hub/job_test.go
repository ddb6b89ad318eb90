//go:build unix || windows

package hub_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What Redo adds is done once, with its note, whichever worker owns its partition, and also if it was added twice.
func TestRedo(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		j := newJob(t, c, "redo", &hub.JobOptions{Partitions: 2})
		for n := range 20 {
			if _, err := j.Add(linkedPage(n), json.RawMessage("7")); err != nil {
				t.Fatal(err)
			}
		}
		seal(t, j)
		var mu sync.Mutex
		fetched := map[string]int{}
		fails := true
		work := func() {
			t.Helper()
			if err := j.Work(t.Context(), func(_ context.Context, it *batch.Item, _ hub.AddFunc) (int64, error) {
				mu.Lock()
				defer mu.Unlock()
				if fetched[it.URI.String()]++; string(it.Note) != "7" {
					t.Errorf("%s: got the note %q, want that with which it was added", it.URI, it.Note)
				}
				if fails && strings.HasSuffix(it.URI.String(), "1") {
					return 0, fetch.Errorf(fetch.ErrTimeout, "late")
				}
				return 1, nil
			}, &hub.WorkOptions{Dir: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
		}
		work()
		failed := map[string]bool{}
		for round := range 3 { // in the second, the results of the first are replaced
			fails = round < 1
			chosen := func(r *hub.Result) bool {
				if r.Error != "" {
					failed[r.URI] = true
				}
				return r.Error != ""
			}
			for range 2 {
				if n, err := j.Redo(t.Context(), chosen); err != nil || round < 2 && n != int64(len(failed)) || round == 2 && n != 0 {
					t.Fatalf("round %d: got %d, %v, want the %d failures", round, n, err, len(failed))
				}
			}
			if s, err := j.Status(t.Context()); err != nil || s.Finished() != (round == 2) || s.URIs() != 20 {
				t.Fatalf("round %d: got %+v, %v, want an unfinished job of 20 URIs", round, s, err)
			}
			work()
			checkOnce(t, j, 20)
		}
		for u, n := range fetched {
			if want := map[bool]int{false: 1, true: 3}[failed[u]]; n != want {
				t.Errorf("%s: got %d requests, want %d", u, n, want)
			}
		}
		s, err := j.Status(t.Context())
		if err != nil || s.Done != 20 || s.Failed != 0 || !s.Finished() || s.Kinds[fetch.ErrTimeout] != int64(2*len(failed)) {
			t.Errorf("got %+v, %v, want 20 done, none failed, and all failures among the kinds", s.Totals, err)
		}
		all := 0
		if err := j.History(t.Context(), func(*hub.Result) error { all++; return nil }); err != nil || all != 20+2*len(failed) || len(failed) == 0 {
			t.Errorf("got %d results, %v, want those of 20 URIs and twice those of %d", all, err, len(failed))
		}
	})
}

// A worker of a job that was deleted ends, also if there is another job of that name.
func TestDeletedJob(t *testing.T) {
	simulate(t, 0, func(h *history) {
		o := &hub.JobOptions{Partitions: 1}
		for _, again := range []bool{false, true} {
			j := newJob(h.T, h.conn, "deleted", o)
			if err := hub.Delete(h.ended, h.conn, "deleted"); err != nil {
				h.Fatal(err)
			}
			if again {
				time.Sleep(time.Second) // a job is told from another by the time of its creation
				newJob(h.T, h.conn, "deleted", o)
			}
			if err := j.Work(h.ended, nil, &hub.WorkOptions{Dir: h.TempDir()}); fetch.KindOf(err) != fetch.ErrNotFound {
				h.Errorf("with another job %t: got %v, want %s", again, err, fetch.ErrNotFound)
			}
		}
		if err := hub.Delete(h.ended, h.conn, "none"); fetch.KindOf(err) != fetch.ErrNotFound {
			h.Errorf("got %v, want %s", err, fetch.ErrNotFound)
		}
	})
}

// A job of an older or a newer version is refused, and versions from before there was a format refuse that of this one.
func TestFormat(t *testing.T) {
	t.Parallel()
	c := connect(t)
	if _, err := hub.Create(t.Context(), c, "versions", &hub.JobOptions{Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), "DEREF_versions")
	if err != nil {
		t.Fatal(err)
	}
	config := s.CachedInfo().Config
	if n, ok := config.Metadata["deref-partitions"]; ok {
		t.Errorf("got deref-partitions with the value %q, want none: without it, versions that know no format do not open a job", n)
	}
	for _, other := range []string{"", "2", "3", "5"} {
		config.Metadata["deref-format"] = other
		if _, err := js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		for what, open := range map[string]func() (*hub.Job, error){
			"Open":   func() (*hub.Job, error) { return hub.Open(t.Context(), c, "versions") },
			"Create": func() (*hub.Job, error) { return hub.Create(t.Context(), c, "versions", nil) },
		} {
			if _, err := open(); fetch.KindOf(err) != fetch.ErrUnsupported || !strings.Contains(err.Error(), `format "`+other+`"`) {
				t.Errorf("%s, format %q: got %v, want %s", what, other, err, fetch.ErrUnsupported)
			}
		}
	}
}

// Of workers that create a job at the same moment, one decides what it is.
func TestCreatedAtOnce(t *testing.T) {
	t.Parallel()
	c := connect(t)
	const workers = 8
	var all sync.WaitGroup
	var abouts [workers]string
	for i := range workers {
		all.Go(func() {
			j, err := hub.Create(t.Context(), c, "races", &hub.JobOptions{About: strings.Repeat("x", i+1), Lease: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			abouts[i] = j.About()
		})
	}
	all.Wait()
	for _, about := range abouts {
		if about == "" || about != abouts[0] {
			t.Errorf("got the jobs %q, want one for all workers", abouts)
			break
		}
	}
}
