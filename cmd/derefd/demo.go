//go:build unix || windows

package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/testdata"
)

// demo checks URIs of five protocols with three workers, and kills one of them.
func (c *command) demo(ctx context.Context) error {
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	dir, err := os.MkdirTemp("", "derefd-demo-")
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer os.RemoveAll(dir)
	site := testdata.Site()
	var servers []testservers.Running
	for range 2 { // ten hosts, so that each worker has some
		list, err := testservers.Start(site, 0, []string{"http", "ftp", "gopher", "spartan", "nex"})
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		defer testservers.Stop(list)
		servers = append(servers, list...)
	}
	seeds, err := demoURIs(site, servers)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "demo.toml")
	if err := os.WriteFile(path, []byte("task = \"check\"\npartitions = 32\nconnections = 2\nper-host = 1\npause = 0.005\nretries = 2\n"), 0o600); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	s, err := hub.Serve(&hub.ServerOptions{Dir: filepath.Join(dir, "hub"), Addr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer s.Close()
	conn, err := s.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	f, err := readJob(path)
	if err != nil {
		return err
	}
	o := f.options()
	o.Lease = demoLease
	j, err := hub.Create(ctx, conn, f.name, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "a hub, and %d URIs of %d servers of five protocols\n", len(seeds), len(servers))
	return c.demoWorkers(ctx, j, s.URL(""), path, seeds)
}

// demoLease is short, so that the demonstration is.
const demoLease = 3 * time.Second

// demoWorkers starts the workers, kills one, and compares the results with the URIs. A third of the URIs are added after that, so that the
// worker certainly had something to do.
func (c *command) demoWorkers(ctx context.Context, j *hub.Job, url, path string, seeds []string) error {
	exe, err := os.Executable()
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	n := len(seeds)
	if err := addSeeds(j, seeds[:n*2/3]); err != nil {
		return err
	}
	var workers []*exec.Cmd
	for i := range 3 {
		w := exec.CommandContext(ctx, exe, "work", path, "--hub", url, "--name", fmt.Sprintf("worker-%d", i+1))
		w.Stderr = os.Stderr
		if err := w.Start(); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		workers = append(workers, w)
	}
	defer func() {
		for _, w := range workers {
			w.Process.Kill()
			w.Wait()
		}
	}()
	fmt.Fprintln(c.out, "three workers begin")
	s, err := statusWhen(ctx, j, func(s *hub.Status) bool {
		i, _, _ := busiest(s)
		return i > 0 && s.Records() >= int64(n)/3
	})
	if err != nil {
		return err
	}
	i, parts, results := busiest(s)
	workers[i-1].Process.Kill()
	fmt.Fprintf(c.out, "worker-%d is killed: %d of %d URIs have a result, and its %d of %d partitions have %d\n", i, s.Records(), n, parts, len(s.Partitions), results)
	if err := addSeeds(j, seeds[n*2/3:]); err != nil {
		return err
	}
	if err := j.Seal(ctx); err != nil {
		return err
	}
	if _, err := statusWhen(ctx, j, (*hub.Status).Finished); err != nil {
		return err
	}
	return c.demoResults(ctx, j, n)
}

func addSeeds(j *hub.Job, seeds []string) error {
	_, err := addAll(j, batch.List(strings.NewReader(strings.Join(seeds, "\n")), nil))
	return err
}

// statusWhen returns the status of a job once it fulfills a condition.
func statusWhen(ctx context.Context, j *hub.Job, is func(*hub.Status) bool) (*hub.Status, error) {
	for {
		s, err := j.Status(ctx)
		if err != nil || is(s) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// demoResults compares the results with the number of URIs.
func (c *command) demoResults(ctx context.Context, j *hub.Job, n int) error {
	results, by := map[string]int{}, map[string]int{}
	if err := j.Results(ctx, func(r *hub.Result) error {
		results[r.URI]++
		by[r.Worker[:strings.LastIndexByte(r.Worker, '-')]]++
		return nil
	}); err != nil {
		return err
	}
	for u, times := range results {
		if times != 1 {
			return fetch.Errorf(fetch.ErrChanged, "%s has %d results", u, times)
		}
	}
	if len(results) != n {
		return fetch.Errorf(fetch.ErrChanged, "%d of %d URIs have a result", len(results), n)
	}
	fmt.Fprintf(c.out, "results: worker-1 %d, worker-2 %d, worker-3 %d\n", by["worker-1"], by["worker-2"], by["worker-3"])
	fmt.Fprintf(c.out, "nothing was lost: each of the %d URIs has exactly one result\n", n)
	return nil
}

// busiest returns the number of the worker whose partitions have the most results, and how many of both it has. It returns 0 if no worker's
// partitions have any.
func busiest(s *hub.Status) (number, parts int, results int64) {
	for i := 1; i <= 3; i++ {
		has, sum := 0, int64(0)
		for _, p := range s.Partitions {
			if strings.HasPrefix(p.Worker, fmt.Sprintf("worker-%d-", i)) {
				has++
				sum += p.Records()
			}
		}
		if sum > results {
			number, parts, results = i, has, sum
		}
	}
	return number, parts, results
}

// demoURIs returns the URI of each file of the site at each server.
func demoURIs(site fs.FS, servers []testservers.Running) (list []string, err error) {
	err = fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path := (&url.URL{Path: "/" + name}).EscapedPath()
		for _, s := range servers {
			p := path
			if s.Scheme == "gopher" {
				p = "/9" + path
			}
			list = append(list, s.URL+p)
		}
		return nil
	})
	return list, err
}
