//go:build unix || windows

package hub_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
)

// A server, a job and a worker in one process.
func Example() {
	dir, err := os.MkdirTemp("", "hub")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := hub.Serve(&hub.ServerOptions{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	c, err := s.Connect()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	job, err := hub.Create(ctx, c, "links", &hub.JobOptions{Partitions: 4, Lease: 3 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	job.Add(uri.MustParse("http://example.org/"), nil)
	job.Add(uri.MustParse("http://example.org/"), nil)
	job.Seal(ctx)
	task := func(_ context.Context, it *batch.Item, _ hub.AddFunc) (int64, error) { return 42, nil }
	if err := job.Work(ctx, task, nil); err != nil {
		fmt.Println(err)
		return
	}
	job.Results(ctx, func(r *hub.Result) error {
		fmt.Println(r.URI, r.Size)
		return nil
	})
	// Output: http://example.org/ 42
}

// The handler of a server notes which worker asks which host. Check then reports hosts that two workers asked at a time.
func Example_hubtest() {
	var v hubtest.Visits
	end := v.Begin("a.example", "w1")
	end()
	v.Begin("a.example", "w2")
	fmt.Println(v.Total())
	// Output: 2
}
