package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// sessionFlags are the flags of attaching to a session.
type sessionFlags struct {
	request.Flags
	script string
	until  string
	idle   flags.Seconds
}

func sessionCommand(fs *pflag.FlagSet) func(context.Context, *app.App, []string) error {
	var f sessionFlags
	fs.Var((*flags.NonEmpty)(&f.script), "script", "what is typed and waited for is in `FILE` (- is standard input)")
	fs.Var((*flags.NonEmpty)(&f.until), "until", "without a terminal: end as soon as the host has said `REGEX`")
	fs.Var(&f.idle, "idle", "without a terminal: end when the host is silent for `SECONDS` behind the last line (default 2)")
	f.Flags.Add(fs)
	return f.run
}

// run attaches to the one session that the command line names.
func (f *sessionFlags) run(ctx context.Context, a *app.App, args []string) error {
	if len(args) != 1 {
		return flags.Usage("deref session takes one URI")
	}
	until, err := regexp.Compile(f.until)
	if err != nil {
		return flags.Usage("--until: " + err.Error())
	}
	c, o, u, err := f.Prepare(a, args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := terminal.SessionSignals(ctx)
	defer stop()
	if f.script == "" && f.until == "" && terminal.IsTerminal(a.Stdin) && terminal.IsTerminal(a.Stdout) {
		return attachTerminal(a, ctx, c, u, o)
	}
	user := f.lines(a.Stdin, until)
	if f.script != "" {
		if user, err = f.scripted(a, until); err != nil {
			return err
		}
	}
	return attachScript(a, ctx, c, u, o, user)
}

// A typist is who types where no person does: it reads what the host says from screen, and types into keys. Its end ends the session.
type typist func(ctx context.Context, screen *terminal.Screen, keys io.Writer) error

// errEnough is a typist's end when nothing is missing.
var errEnough = errors.New("the session has said what was waited for")

// attachScript attaches a typist. What the host says goes to standard output; to a terminal through the filter.
func attachScript(a *app.App, ctx context.Context, c *fetch.Client, u uri.URI, o *fetch.Options, user typist) error {
	pipe, keys := io.Pipe()
	in := &typed{PipeReader: pipe, end: make(chan struct{})}
	s := terminal.NewScreen(a.Stdout)
	if terminal.IsTerminal(a.Stdout) {
		s = terminal.NewScreen(render.NewTerminal(a.Stdout))
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() {
		err := user(ctx, s, keys)
		done <- err
		keys.Close()
		if err != nil { // the host need not take its leave
			in.waitForEnd(s.Over)
			cancel(errEnough)
		}
	}()
	err := c.Attach(ctx, u, &fetch.Terminal{In: in, Out: s, Type: "dumb"}, o)
	close(s.Over)
	ended := <-done
	switch {
	case outer.Err() != nil:
		return context.Canceled
	case errors.Is(ended, errEnough) && fetch.KindOf(err) == fetch.ErrRefused: // of what was typed last
		return err
	case errors.Is(ended, errEnough):
		return nil
	case errors.Is(err, errEnough):
		return ended
	case err != nil && !errors.Is(err, io.ErrClosedPipe):
		return err
	}
	return ended
}

// typed is what a typist types. A session that reads its end has dealt with all keys before, those that it rejects included.
type typed struct {
	*io.PipeReader
	once sync.Once
	end  chan struct{}
}

func (t *typed) Read(p []byte) (int, error) {
	n, err := t.PipeReader.Read(p)
	if err != nil {
		t.once.Do(func() { close(t.end) })
	}
	return n, err
}

// waitForEnd returns when the session has read the end, is over, or is stuck in a key.
func (t *typed) waitForEnd(over <-chan struct{}) {
	stuck := time.NewTimer(2 * time.Second)
	defer stuck.Stop()
	select {
	case <-t.end:
	case <-over:
	case <-stuck.C:
	}
}

// lines types the lines of standard input, as soon as the host has said its first words and waits.
func (f *sessionFlags) lines(stdin *os.File, until *regexp.Regexp) typist {
	idle := time.Duration(f.idle)
	if idle == 0 {
		idle = defaultIdle
	}
	return func(ctx context.Context, s *terminal.Screen, keys io.Writer) error {
		s.Quiet(ctx, firstIdle)
		typed := make(chan struct{})
		go func() { // it may stay in its Read: that of a terminal ends with the process
			terminal.TypeLines(stdin, keys)
			close(typed)
		}()
		if f.until != "" {
			if _, err := s.Expect(ctx, until, 0); err != nil {
				return err
			}
			return errEnough
		}
		select {
		case <-typed:
			s.Quiet(ctx, idle)
			return errEnough
		case <-s.Over:
			return nil
		}
	}
}

const (
	firstIdle   = 500 * time.Millisecond // what hosts pause within a greeting is less
	defaultIdle = 2 * time.Second
)

var _ io.Writer = (*terminal.Screen)(nil)

// attachTerminal attaches the terminal that deref was started at. It is given back as it was, however the session ends.
func attachTerminal(a *app.App, ctx context.Context, c *fetch.Client, u uri.URI, o *fetch.Options) error {
	fd := int(a.Stdin.Fd())
	fmt.Fprintf(a.Stderr, "deref: %s; the escape character is Ctrl-]\n", u.Redacted(nil))
	before, err := term.MakeRaw(fd)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
	}
	defer fmt.Fprintln(a.Stderr)
	defer term.Restore(fd, before)
	in, keys := io.Pipe()
	e := &terminal.Escape{To: keys, Menu: a.Stderr, Suspend: func() {
		term.Restore(fd, before)
		terminal.Suspend()
		term.MakeRaw(fd)
	}}
	go func() { // it stays in its Read until the process ends: a terminal's cannot be ended otherwise
		_, err := io.Copy(e, a.Stdin)
		keys.CloseWithError(err)
	}()
	resized, stop := terminal.WindowChanges()
	defer stop()
	return c.Attach(ctx, u, &fetch.Terminal{In: in, Out: a.Stdout, Type: a.Getenv("TERM"), Resized: resized,
		Size: func() (int, int) {
			cols, rows, err := term.GetSize(int(a.Stdout.Fd()))
			if err != nil {
				return 80, 24
			}
			return cols, rows
		}}, o)
}

// scripted reads --script: all of it is checked before anybody is contacted.
func (f *sessionFlags) scripted(a *app.App, until *regexp.Regexp) (typist, error) {
	in := io.Reader(a.Stdin)
	if f.script != "-" {
		file, err := os.Open(f.script)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		defer file.Close()
		in = file
	}
	list, err := terminal.ParseScript(in)
	if err != nil {
		return nil, flags.Usage(fmt.Sprintf("%s: %v", f.script, err))
	}
	if f.until != "" {
		list = append(list, terminal.ScriptLine{Verb: "expect", Re: until})
	}
	return func(ctx context.Context, s *terminal.Screen, keys io.Writer) error {
		if err := terminal.PlayScript(ctx, list, s, keys); err != nil {
			return err
		}
		if f.idle > 0 {
			s.Quiet(ctx, time.Duration(f.idle))
		}
		return errEnough
	}, nil
}
