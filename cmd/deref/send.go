package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// sendFlags are the flags of handing a message over.
type sendFlags struct {
	requestFlags
	talkFlags
	file   string
	dryRun bool
}

func sendCommand(fs *pflag.FlagSet) func(context.Context, *app, []string) error {
	var f sendFlags
	fs.Var((*given)(&f.file), "file", "the message is in `FILE` (- is standard input); without it the URI makes the message")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print the message, and contact nobody")
	f.talkFlags.add(fs)
	f.requestFlags.add(fs)
	return f.run
}

// run hands a message over to the one URI that the command line names.
func (f *sendFlags) run(ctx context.Context, a *app, args []string) (err error) {
	if len(args) != 1 {
		return usageError("deref send takes one URI")
	}
	c, o, u, err := f.prepare(a, args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	msg, err := f.message(a, u.Scheme() == "mailto")
	if err != nil {
		return err
	}
	if msg != nil {
		defer msg.Close()
	}
	a.warnsOfSecrets(c, f.record, f.trace)
	done, err := f.traces(a, o, f.notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if f.dryRun {
		if u.Scheme() != "mailto" {
			return usageError("--dry-run: only messages to mailto: are made here")
		}
		o.Set["mailto.dry-run"] = []string{"yes"}
		o.Trace = both(o.Trace, func(e fetch.Event) {
			if e.Step != nil && e.Step.Verb == "message" {
				io.WriteString(a.out(), e.Step.Data)
			}
		})
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	var in io.Reader
	if msg != nil {
		in = msg
	}
	r, err := c.Send(ctx, u, in, o)
	if r != nil {
		a.printReceipt(r)
	}
	if err == nil && len(r.Refused) > 0 {
		return fetch.Errorf(fetch.ErrRefused, "%d of %d recipients were refused; the others have the message", len(r.Refused), len(r.Refused)+len(r.Accepted))
	}
	return err
}

// message opens what --file names; standard input is taken where it is no terminal and the URI makes no message.
func (f *sendFlags) message(a *app, made bool) (io.ReadCloser, error) {
	switch {
	case f.file == "-", f.file == "" && !made:
		return io.NopCloser(a.stdin), nil
	case f.file == "":
		return nil, nil
	}
	in, err := os.Open(f.file)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return in, nil
}

// printReceipt says what the server accepted, for each recipient.
func (a *app) printReceipt(r *fetch.Receipt) {
	for _, to := range r.Accepted {
		fmt.Fprintf(a.stderr, "accepted: %s\n", render.Escape(to))
	}
	refused := make([]string, 0, len(r.Refused))
	for to := range r.Refused {
		refused = append(refused, to)
	}
	slices.Sort(refused)
	for _, to := range refused {
		fmt.Fprintf(a.stderr, "refused: %s: %s\n", render.Escape(to), render.Escape(r.Refused[to]))
	}
	if r.Reply != "" {
		fmt.Fprintf(a.stderr, "reply: %s\n", render.Escape(r.Reply))
	}
}
