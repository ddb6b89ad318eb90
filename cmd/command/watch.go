package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/watch"
	"example.org/deref/uri"
)

// watchFlags are the flags of the watch command.
type watchFlags struct {
	request.Flags
	every  flags.Duration
	run    []string // the words of a command
	diff   bool
	state  string
	silent bool
}

func watchCommand(fs *pflag.FlagSet) action {
	var f watchFlags
	flags.AddSections(fs, append([]flags.Section{{Title: "When and what", Add: func(fs *pflag.FlagSet) {
		fs.Var(&f.every, "every", "check again after each `TIME` (90s, 15m, 1h, 2d), until interrupted; default: once")
		fs.BoolVar(&f.diff, "diff", false, "print the differences of the text views")
		fs.Func("run", "run `COMMAND` for each change, without a shell; its input is the diff", func(v string) error {
			if f.run = strings.Fields(v); len(f.run) == 0 {
				return errors.New("the value is empty")
			}
			return nil
		})
		flags.TextVar(fs, &f.state, "state", "", "keep in `FILE` what the last check has found")
		fs.BoolVarP(&f.silent, "silent", "s", false, "print no lines about changes")
	}}}, f.Flags.Sections()...))
	return f.watch
}

// watch checks the URIs once, or again and again.
func (f *watchFlags) watch(ctx context.Context, a *app.App, args []string) (err error) {
	if f.every == 0 && f.state == "" {
		return &flags.UsageError{Text: "a single check has nothing to compare with", Hint: "--state FILE keeps what it finds, --every TIME checks again"}
	}
	c, o, ts, err := f.PrepareAll(ctx, a, args)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	w := &watching{watchFlags: f, app: a, client: c, watcher: &watch.Watcher{Client: retry.New(c, retry.Policy{Retries: 1}), Request: o, View: textView}}
	if w.state, err = watch.OpenState(f.state); err != nil {
		return err
	}
	defer w.state.Close()
	return errors.Join(w.rounds(ctx, ts), f.SaveCookies(a))
}

// textView writes the text view of a document, with control characters made visible: it may go to a terminal.
func textView(w io.Writer, d *fetch.Document) error {
	return render.View(w, d, render.Text, &render.Options{Terminal: true, Page: htmltext.Render})
}

// A watching is one run of the command.
type watching struct {
	*watchFlags
	app     *app.App
	client  *fetch.Client
	watcher *watch.Watcher
	state   *watch.State
	changed bool
}

// rounds checks all URIs, and again every f.every. An interruption ends a watch that has no other end without an error.
func (w *watching) rounds(ctx context.Context, ts []request.Target) error {
	for {
		began := time.Now()
		found, err := w.round(ctx, ts)
		if w.every == 0 || err != nil {
			return cmp.Or(err, found)
		}
		if !fetch.Sleep(ctx, time.Duration(w.every)-time.Since(began)) {
			return nil
		}
	}
}

// errChanges is the result of a single check that has found changes. It is not printed.
var errChanges = errors.New("something has changed")

// round checks each URI once. found is the first failure, or errChanges. err is an error of this machine, with which there is no further round.
func (w *watching) round(ctx context.Context, ts []request.Target) (found, err error) {
	w.changed = false
	for _, t := range ts {
		err := t.Err
		if err == nil {
			err = w.one(ctx, t.URI)
		}
		if ctx.Err() != nil {
			return ctx.Err(), w.state.Save()
		}
		if found = cmp.Or(found, err); err != nil {
			w.app.PrintError(t.Subject(w.client.Schemes, len(ts)), err)
		}
	}
	if found == nil && w.changed {
		found = errChanges
	}
	return app.Printed(found), cmp.Or(w.state.Save(), w.app.Flush())
}

// one checks one URI, and reports a change. A failure is reported when its kind is new.
func (w *watching) one(ctx context.Context, u uri.URI) error {
	name := w.client.Schemes.Redact(u)
	old := w.state.Get(name)
	r, err := w.watcher.Check(ctx, u, old)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.Record.URI = name
	w.state.Set(r.Record)
	w.changed = w.changed || r.Verdict == watch.Changed
	known := old != nil && err != nil && old.Failed == fetch.KindOf(err)
	if r.Verdict == watch.Changed || err != nil && !known {
		err = cmp.Or(err, w.report(name, r))
		if w.run != nil {
			err = cmp.Or(w.command(ctx, name, r), err)
		}
	}
	if known && w.every > 0 {
		return nil // printed before
	}
	return err
}

// report prints a change.
func (w *watching) report(name string, r watch.Result) error {
	if r.Verdict != watch.Changed || w.silent {
		return nil
	}
	s := "changed " + render.Escape(name) + "\n"
	if w.diff {
		s += string(r.Diff)
	}
	return cmp.Or(w.app.Print(s), w.app.Flush())
}

// runTimeout bounds how long a command may go on after it was interrupted.
const runTimeout = 5 * time.Second

// command runs the command of --run. It is interrupted with us.
func (w *watching) command(ctx context.Context, name string, r watch.Result) error {
	cmd := exec.CommandContext(ctx, w.run[0], w.run[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(r.Diff), w.app.Stdout, w.app.Stderr
	cmd.Env = append(os.Environ(), "DEREF_URI="+name, "DEREF_STATUS="+string(r.Verdict), "DEREF_ERROR="+string(r.Record.Failed))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = runTimeout
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fetch.Errorf(fetch.ErrLocal, "--run %s: %w", w.run[0], err)
	}
	return nil
}
