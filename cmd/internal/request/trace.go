package request

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
)

// TraceFlags are the flags that show or record the conversation.
type TraceFlags struct {
	Verbose bool
	Trace   string
	Record  string
}

func (f *TraceFlags) Add(fs *pflag.FlagSet) {
	fs.BoolVarP(&f.Verbose, "verbose", "v", false, "show the conversation on standard error, abridged (--replay reads --record)")
	flags.TextVar(fs, &f.Trace, "trace", "", "write the whole conversation to `FILE` as it happens (- is standard output)")
	flags.TextVar(fs, &f.Record, "record", "", "write the conversation to `FILE` as it happens (- is standard output) for --replay")
}

// Traces makes o show and record the conversation, after the notes. done closes the files, and returns an error if they are incomplete.
func (f *TraceFlags) Traces(a *app.App, o *fetch.Options, notes []string) (done func() error, err error) {
	if f.Trace != "" && f.Trace == f.Record {
		return nil, flags.Usage("--trace and --record exclude each other: they name the same file")
	}
	var ends []func() error
	done = func() error {
		var all error
		for _, end := range ends {
			all = errors.Join(all, end())
		}
		return all
	}
	if f.Verbose {
		for _, n := range notes {
			fmt.Fprintln(a.Stderr, "deref: note: "+render.Escape(n))
		}
		r := dialogue.NewRecorder(terminal.DialogueWriter(a.Stderr, a.Getenv))
		r.Brief = true
		o.Trace = r.Trace
		ends = append(ends, func() error { r.Flush(); return nil }) // standard error may have gone
	}
	for _, name := range []string{f.Trace, f.Record} {
		if name == "" {
			continue
		}
		trace, end, err := traceTo(a, name)
		if err != nil {
			return nil, errors.Join(err, done())
		}
		o.Trace = JoinTraces(o.Trace, trace)
		ends = append(ends, end)
	}
	return done, nil
}

// traceTo writes a conversation to a file that only the user can read. - is standard output.
func traceTo(a *app.App, name string) (trace func(fetch.Event), end func() error, err error) {
	var file io.Writer = a.Out()
	finish := func() error { return nil }
	if name != "-" {
		f, err := save.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, nil, err
		}
		file, finish = f, f.Close
	}
	r := dialogue.NewRecorder(file)
	return r.Trace, func() error {
		if err := errors.Join(r.Flush(), finish()); err != nil {
			return fetch.Errorf(fetch.ErrDisk, "the trace is incomplete: %w", err)
		}
		return nil
	}, nil
}

// replayPatience is how long a handler may wait for what an edited recording does not have. Handlers wait less for a host to become silent.
const replayPatience = 5 * time.Second

// Replay makes c dereference against the script of --replay, without a network. end returns an error if c did not follow the script.
func Replay(name string, c *fetch.Client) (end func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	script, err := dialogue.Parse(string(text))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
	}
	faultless := dialogue.NoFaults()
	faultless.Patience = replayPatience
	p, err := dialogue.NewPlayer(script, &faultless)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
	}
	p.Attach(c)
	return func() error {
		c.Close()
		if err := p.Close(); err != nil {
			return fetch.Errorf(fetch.ErrProtocol, "the client did not follow %s: %w", name, err)
		}
		return nil
	}, nil
}

// JoinTraces joins two trace functions, either of which may be nil.
func JoinTraces(f, g func(fetch.Event)) func(fetch.Event) {
	switch {
	case f == nil:
		return g
	case g == nil:
		return f
	}
	return func(e fetch.Event) { f(e); g(e) }
}
