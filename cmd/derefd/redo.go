//go:build unix || windows

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
)

// chooser returns whether --failed, --kind and --since choose a result.
func (c *command) chooser(now time.Time) (func(*hub.Result) bool, error) {
	since, err := sinceOf(c.since, now)
	if err != nil {
		return nil, err
	}
	return func(r *hub.Result) bool {
		return (r.Error != "" || !c.failed) && (len(c.kinds) == 0 || slices.Contains(c.kinds, string(r.Error))) && !r.Time.Before(since)
	}, nil
}

// sinceOf returns the time of --since: a duration before now, a day, or a time of RFC 3339. "" is the zero time.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, flags.Usage(fmt.Sprintf("--since: %q is not a time such as 90m, 2026-01-31 or 2026-01-31T12:00:00Z", text))
}

// redo adds URIs again: those of the command line, or those that flags choose.
func (c *command) redo(ctx context.Context, f *jobFile, j *hub.Job, list []string) error {
	if len(list) == 0 && !c.missing && !c.failed && len(c.kinds) == 0 && c.since == "" {
		return &flags.UsageError{Text: "derefd redo needs URIs, --failed, --kind, --missing or --since",
			Hint: "derefd results JOB --failed prints the URIs that have failed"}
	}
	chosen, err := c.chooser(time.Now())
	if err != nil {
		return err
	}
	of := map[string]bool{} // whether each of list has a result
	for i, text := range list {
		u, err := uri.Parse(text)
		if err != nil {
			return fetch.Errorf(fetch.ErrRefusedURL, "URI %d: %w", i+1, err) // the text may have a password
		}
		of[u.ASCII().WithoutPassword().String()] = false
	}
	var x *indexing
	if c.missing {
		s, err := openStore(f, c.getenv)
		if err != nil {
			return err
		}
		if x, err = c.merge(ctx, f, j, s, io.Discard); err != nil {
			return err
		}
	}
	n, err := j.Redo(ctx, func(r *hub.Result) bool {
		if _, ok := of[r.URI]; ok {
			of[r.URI] = true
		} else if len(of) > 0 {
			return false
		}
		return chosen(r) && (x == nil || x.isMissing(r))
	})
	var without []string
	for u, has := range of {
		if !has {
			without = append(without, u)
		}
	}
	if n > 0 || len(without) == 0 {
		fmt.Fprintf(c.out, "URIs to be done again: %d\n", n)
	}
	if err != nil {
		return err
	}
	if len(without) > 0 {
		slices.Sort(without)
		return fetch.Errorf(fetch.ErrNotFound, "the job %s has no result of %s", j.Name, strings.Join(without, ", "))
	}
	return nil
}

// jobs prints the jobs of a hub.
func (c *command) jobs(ctx context.Context) error {
	if c.hub == "" {
		return &flags.UsageError{Text: "derefd jobs needs --hub URL, or the variable DEREFD_HUB",
			Hint: "without a hub, each job is in the directory of its file: derefd status JOB"}
	}
	conn, done, err := c.connect(nil, false)
	if err != nil {
		return err
	}
	defer done()
	names, err := hub.Jobs(ctx, conn)
	if err != nil {
		return err
	}
	for _, name := range names {
		j, err := hub.Open(ctx, conn, name)
		if fetch.KindOf(err) == fetch.ErrUnsupported {
			fmt.Fprintf(c.out, "%s: of another version of derefd\n", name)
			continue
		}
		if err != nil {
			return err
		}
		s, err := j.Status(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.out, "%s; %d workers; created %s\n", summary(name, s), len(s.Workers()), s.Created.UTC().Format(time.RFC3339))
	}
	return nil
}

// delete deletes a job. With a hub, its file need not exist.
func (c *command) delete(ctx context.Context, file string) error {
	f, err := readJob(file)
	if errors.Is(err, fs.ErrNotExist) && c.hub != "" && !strings.ContainsAny(file, "./"+string(os.PathSeparator)) {
		f, err = &jobFile{name: file}, nil
	}
	if err != nil {
		return err
	}
	conn, done, err := c.connectExisting(f)
	if err != nil {
		return err
	}
	defer done()
	if err := hub.Delete(ctx, conn, f.name); err != nil {
		return f.noJob(err)
	}
	fmt.Fprintf(c.out, "%s: deleted; archives and indexes remain\n", f.name)
	return nil
}
