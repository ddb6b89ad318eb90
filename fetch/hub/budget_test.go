//go:build unix || windows

package hub_test

import (
	"context"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
)

// A host gets no more documents or bytes than its budget, also after its owner has changed. Failures and what Redo adds do not count, and links are not added
// any more.
func TestBudget(t *testing.T) {
	long(t, "TestCrawl of derefd has budgets, too")
	c := connect(t)
	for name, budget := range map[string]hub.Budget{"documents": {Documents: 4}, "bytes": {Bytes: 40}, "none": {}} {
		j := newJob(t, c, name, &hub.JobOptions{Partitions: 1, Lease: time.Second})
		for _, u := range []string{"http://a/missing", "http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/5", "http://b/1"} {
			if _, err := j.Add(uri.MustParse(u), nil); err != nil {
				t.Fatal(err)
			}
		}
		seal(t, j)
		var done atomic.Int64
		work := func(most int64) {
			drain := make(chan struct{})
			task := func(_ context.Context, it *batch.Item, add hub.AddFunc) (int64, error) {
				if done.Add(1) == most {
					close(drain)
				}
				if it.URI.Path() == "/missing" {
					return 0, fetch.Errorf(fetch.ErrNotFound, "no such page")
				}
				if it.URI.Path() == "/5" || it.Redo > 0 {
					add(uri.MustParse("http://a/late"), nil)
				}
				return 10, nil
			}
			if err := j.Work(t.Context(), task, &hub.WorkOptions{Dir: t.TempDir(), Connections: 1, Budget: budget, Drain: drain}); err != nil {
				t.Fatal(err)
			}
		}
		work(3)
		work(0)
		redone := 0
		if _, err := j.Redo(t.Context(), func(r *hub.Result) bool { return r.URI == "http://a/1" }); err != nil {
			t.Fatal(err)
		}
		work(0)
		got, want := map[string]fetch.Kind{}, map[string]fetch.Kind{"http://a/missing": fetch.ErrNotFound, "http://a/1": "", "http://a/2": "", "http://a/3": "", "http://a/4": "",
			"http://a/5": fetch.ErrLimit, "http://b/1": ""}
		if name == "none" {
			want["http://a/5"], want["http://a/late"] = "", ""
		}
		if err := j.Results(t.Context(), func(r *hub.Result) error {
			if got[r.URI] = r.Error; r.Redo > 0 {
				redone++
			}
			return nil
		}); err != nil || redone != 1 || !maps.Equal(got, want) {
			t.Errorf("%s: got %v, %d of Redo, %v, want %v and 1", name, got, redone, err, want)
		}
	}
}
