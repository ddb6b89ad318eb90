//go:build unix || windows

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

func (c *command) status(ctx context.Context, j *hub.Job) error {
	if c.page != "" {
		ctx, stop := terminal.Interruptible(ctx)
		defer stop()
		closePage, err := c.servePage(&page{job: j})
		if err != nil {
			return err
		}
		defer closePage()
		<-ctx.Done()
		return ctx.Err()
	}
	return c.report(ctx, j)
}

func (c *command) report(ctx context.Context, j *hub.Job) error {
	s, err := j.Status(ctx)
	if err != nil {
		return err
	}
	if c.partitions {
		for i, p := range s.Partitions {
			if p.Added > 0 {
				fmt.Fprintf(c.out, "partition %4d %8d of %8d  %s\n", i, p.Records(), p.Added, ownerOf(p))
			}
		}
	}
	if c.hosts > 0 {
		if err := c.slowest(ctx, j); err != nil {
			return err
		}
	}
	now := -1.0
	if workers := s.Workers(); !s.Finished() {
		for _, name := range slices.Sorted(maps.Keys(workers)) {
			fmt.Fprintf(c.out, "worker %s has %d of %d partitions\n", name, workers[name], len(s.Partitions))
		}
		if len(workers) == 0 {
			fmt.Fprintln(c.out, "no worker has a partition")
		} else if s, now, err = later(ctx, j, s, sampleTime); err != nil {
			return err
		}
	}
	fmt.Fprintln(c.out, summary(j.Name, s))
	if again := s.Redo - s.Redone; again > 0 {
		fmt.Fprintf(c.out, "%d of them are to be done again\n", again)
	}
	fmt.Fprint(c.out, pace(s, now))
	return nil
}

func stateOf(s *hub.Status) string {
	if s.Finished() {
		return "finished"
	}
	return "in work"
}

// summary returns a line about a job.
func summary(name string, s *hub.Status) string {
	return fmt.Sprintf("%s: %s; %d URIs, %d done, %d failed, %s; the log has %s", name, stateOf(s), s.URIs(), s.Done, s.Failed,
		terminal.FormatBytes(s.Bytes), terminal.FormatBytes(s.Stored))
}

// ownerOf returns the lease of the living worker that has a partition, or "free".
func ownerOf(p hub.PartitionStatus) string {
	if !p.Alive {
		return "free"
	}
	return p.Worker
}

// later returns a second sample of the status after a while, and the results per second between the two. If there is none, since the hub of
// derefd run has ended with the job, it returns the first one and -1.
func later(ctx context.Context, j *hub.Job, first *hub.Status, wait time.Duration) (s *hub.Status, now float64, err error) {
	began := time.Now()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if s, err = j.Status(ctx); err != nil {
		return first, -1, ctx.Err()
	}
	return s, float64(s.Records()-first.Records()) / time.Since(began).Seconds(), nil
}

// pace returns a line about the rates and the time that is left, or "" if there is no result yet. now is negative if no worker is at work. The
// average of a job that was interrupted is too low, so the time is that of the present rate, unless that is 0.
func pace(s *hub.Status, now float64) string {
	average, left := rate(s), s.Added-s.Records()
	switch {
	case average == 0:
		return ""
	case now < 0 || left <= 0:
		return fmt.Sprintf("%.1f URIs/s on average\n", average)
	}
	at := average
	if now > 0 {
		at = now
	}
	wait := time.Duration(float64(left) / at * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%.1f URIs/s now, %.1f on average; %v left for the URIs that are known\n", now, average, wait)
}

// rate returns the results per second since the job was created.
func rate(s *hub.Status) float64 {
	if d := s.Latest.Sub(s.Created).Seconds(); d > 0 {
		return float64(s.Done+s.Failed) / d
	}
	return 0
}

// A hostStatus is the sum of a host's results.
type hostStatus struct {
	name           string
	results, fails int64
	time           time.Duration
}

func (h *hostStatus) mean() time.Duration { return h.time / time.Duration(h.results) }

// slowest prints the hosts with the longest mean time of a request.
func (c *command) slowest(ctx context.Context, j *hub.Job) error {
	hosts := map[string]*hostStatus{}
	if err := j.Results(ctx, func(r *hub.Result) error {
		u, err := uri.Parse(r.URI)
		if err != nil {
			return nil
		}
		var f found
		if len(r.More) > 0 && json.Unmarshal(r.More, &f) != nil {
			return nil
		}
		name := u.Hostname()
		if port := u.Port(); port != "" {
			name += ":" + port
		}
		h := hosts[name]
		if h == nil {
			h = &hostStatus{name: name}
			hosts[name] = h
		}
		h.results++
		h.time += time.Duration(f.Millis) * time.Millisecond
		if r.Error != "" {
			h.fails++
		}
		return nil
	}); err != nil {
		return err
	}
	list := slices.SortedFunc(maps.Values(hosts), func(a, b *hostStatus) int {
		return cmp.Or(cmp.Compare(b.mean(), a.mean()), cmp.Compare(a.name, b.name))
	})
	for _, h := range list[:min(len(list), c.hosts)] {
		fmt.Fprintf(c.out, "%8v per request, %6d URIs, %6d failed  %s\n", h.mean().Round(time.Millisecond), h.results, h.fails, render.Escape(h.name))
	}
	return nil
}
