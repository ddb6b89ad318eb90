//go:build unix || windows

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/scope"
	"example.org/deref/schemes"
)

// carryOut carries out a job: with own, all of it in this process, which is finished by the index of its archives; else a part of it, with a hub.
func (c *command) carryOut(ctx context.Context, f *jobFile, own bool) error {
	if !own && c.hub == "" {
		return &flags.UsageError{Text: "derefd work needs --hub URL, or the variable DEREFD_HUB",
			Hint: "derefd hub prints the URL; derefd run does everything in one process, without a hub"}
	}
	j, done, err := c.open(ctx, f, own)
	if err != nil {
		return err
	}
	defer done()
	if err := c.seed(ctx, f, j); err != nil {
		return err
	}
	name := "run"
	if own {
		err = j.Seal(ctx)
	} else {
		name = c.workerName()
	}
	if err != nil {
		return err
	}
	closePage, err := c.servePage(&page{job: j, counts: &c.counts})
	if err != nil {
		return err
	}
	defer closePage()
	if err := c.workOn(ctx, f, j, name); err != nil || !own {
		return err
	}
	if f.archived() {
		if err := c.index(ctx, f, j); err != nil {
			return err
		}
	}
	return c.report(context.WithoutCancel(ctx), j)
}

// seed adds the URIs of the file, unless an earlier run has added all of them. A job whose file has none begins with those of derefd add.
func (c *command) seed(ctx context.Context, f *jobFile, j *hub.Job) error {
	if len(f.Seeds) == 0 && len(f.Lists) == 0 {
		return nil
	}
	s, err := j.Status(ctx)
	if err != nil || s.Sealed {
		return err
	}
	lists := []batch.Seq{f.seedList()}
	for _, name := range f.Lists {
		in, err := flags.Open(f.path(name), c.in)
		if err != nil {
			return err
		}
		defer in.Close()
		lists = append(lists, f.listOf(name, in))
	}
	if _, err := addAll(j, batch.Concat(lists...)); err != nil {
		return err
	}
	return j.Seal(ctx)
}

func (f *jobFile) seedList() batch.Seq {
	return f.listOf("seeds", strings.NewReader(strings.Join(f.Seeds, "\n")))
}

// listOf returns the URIs of a list, for a crawl in the form of those that it finds. Errors about its lines begin with its name.
func (f *jobFile) listOf(name string, in io.Reader) batch.Seq {
	schemes := schemes.All(nil)
	return func(yield func(*batch.Item, error) bool) {
		for it, err := range batch.List(in, nil) {
			if err != nil {
				err = fetch.Errorf(fetch.KindOf(err), "%s: %w", name, err)
			} else if f.crawls() {
				it.URI = scope.Canonical(schemes, it.URI)
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

func (c *command) add(ctx context.Context, f *jobFile, name string) error {
	in, err := flags.Open(name, c.in)
	if err != nil {
		return err
	}
	defer in.Close()
	j, done, err := c.open(ctx, f, false)
	if err != nil {
		return err
	}
	defer done()
	if err := c.seed(ctx, f, j); err != nil {
		return err
	}
	n, err := addAll(j, f.listOf(name, in))
	fmt.Fprintf(c.out, "URIs added: %d\n", n)
	return cmp.Or(err, j.Seal(ctx))
}

// workerName returns the name of this worker, by default one that no other process has at the same time.
func (c *command) workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return cmp.Or(c.name, fmt.Sprintf("%s-%d", host, os.Getpid()))
}

// workOn works until the job is finished. The first signal drains the worker, a second one interrupts it.
func (c *command) workOn(ctx context.Context, f *jobFile, j *hub.Job, name string) error {
	if err := os.MkdirAll(f.Data, 0o755); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	name = plain(name)
	w, err := newWorker(f, name, c)
	if err != nil {
		return err
	}
	first, stop := terminal.Interruptible(ctx)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-first.Done():
		case <-ctx.Done():
			return
		}
		second, stop := terminal.Interruptible(ctx)
		defer stop()
		<-second.Done()
		cancel()
	}()
	o := w.options()
	o.Name, o.Drain, o.Dir = name, first.Done(), f.Data
	o.Report = c.counts.note
	if c.log {
		log := c.logger(j.Name).Info
		o.Report = func(event string, args ...any) {
			c.counts.note(event, args...)
			log(event, args...)
		}
	}
	w.startMoving(ctx, o.Report)
	if err = w.learn(ctx, j); err == nil {
		err = j.Work(ctx, w.task, o)
	}
	if cerr := w.close(ctx); err == nil || errors.Is(err, context.Canceled) {
		err = cmp.Or(cerr, err)
	}
	if err != nil {
		return err
	}
	return context.Cause(first)
}

// plain replaces what a name in the hub cannot contain.
func plain(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			return c
		}
		return '_'
	}, name)
}

func (c *command) results(ctx context.Context, j *hub.Job) error {
	chosen, err := c.chooser(time.Now())
	if err != nil {
		return err
	}
	results := j.Results
	if c.history {
		results = j.History
	}
	out := bufio.NewWriter(c.out)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if err := results(ctx, func(r *hub.Result) error {
		if !chosen(r) {
			return nil
		}
		return lines.Encode(struct {
			*hub.Result
			Worker string    `json:"worker"`
			Time   time.Time `json:"time"`
		}{r, r.Worker, r.Time.UTC()})
	}); err != nil {
		return err
	}
	return out.Flush()
}

func (c *command) drain(ctx context.Context, j *hub.Job) error {
	list, err := j.Drain(ctx, plain(c.name))
	for _, name := range list {
		fmt.Fprintf(c.out, "%s finishes what it has begun\n", name)
	}
	if err == nil && len(list) == 0 {
		return fetch.Errorf(fetch.ErrNotFound, "no such worker")
	}
	return err
}
