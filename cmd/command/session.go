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
	"example.org/deref/uri"
)

// sessionFlags are the flags of the session command.
type sessionFlags struct {
	request.Flags
	script string
	until  string
	idle   flags.Seconds
}

func sessionCommand(fs *pflag.FlagSet) action {
	var f sessionFlags
	flags.TextVar(fs, &f.script, "script", "", "run the script in `FILE` (- is standard input)")
	flags.TextVar(fs, &f.until, "until", "", "without a terminal: end as soon as the host has sent `REGEX`")
	fs.Var(&f.idle, "idle", "without a terminal: end when the host is silent for `SECONDS` after the last line (default 2)")
	f.Flags.Add(fs)
	return f.run
}

// run attaches to the session of the one URI on the command line.
func (f *sessionFlags) run(ctx context.Context, a *app.App, args []string) error {
	until, err := regexp.Compile(f.until)
	if err != nil {
		return flags.Usage("--until: " + err.Error())
	}
	c, o, u, err := f.Prepare(ctx, a, args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := terminal.SessionSignals(ctx)
	defer stop()
	if f.script == "" && f.until == "" && terminal.IsTerminal(a.Stdin) && terminal.IsTerminal(a.Stdout) {
		return attach(ctx, a, a.Stdin, c, u, o) // reading a terminal may not be interrupted: then it stays in Read until the process ends
	}
	user := f.lines(a.Stdin, until)
	if f.script != "" {
		if user, err = f.scripted(a, until); err != nil {
			return err
		}
	}
	return attachScript(ctx, a, c, u, o, user)
}

// A typist types in place of a user: it reads what the host sends from screen, and writes what it types to keys. The session ends when it
// returns.
type typist func(ctx context.Context, screen *terminal.Screen, keys io.Writer) error

// errEnough is the error that a typist returns when it has done everything.
var errEnough = errors.New("the expected text has arrived")

// attachScript attaches a typist. The host's output goes to standard output; if that is a terminal, through the filter.
func attachScript(ctx context.Context, a *app.App, c *fetch.Client, u uri.URI, o *fetch.Options, user typist) error {
	pipe, keys := io.Pipe()
	in := &typed{PipeReader: pipe, end: make(chan struct{})}
	s := terminal.NewScreen(terminal.Filtered(a.Stdout))
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() {
		err := user(ctx, s, keys)
		done <- err
		keys.Close()
		if err != nil { // do not wait for the host to close the session
			in.waitForEnd(s.Over)
			cancel(errEnough)
		}
	}()
	err := c.Attach(ctx, u, &fetch.Terminal{In: in, Out: s, Type: "dumb"}, o)
	close(s.Over)
	pipe.CloseWithError(fetch.Errorf(fetch.ErrTruncated, "the session has ended")) // for a typist that goes on
	ended := <-done
	failed := err != nil && !errors.Is(err, errEnough) && !errors.Is(err, io.ErrClosedPipe)
	switch enough := errors.Is(ended, errEnough); {
	case outer.Err() != nil:
		return context.Canceled
	case failed && !(enough && s.HasOutput()), fetch.KindOf(err) == fetch.ErrRefused: // the host refused what was typed last
		return err
	case enough:
		return nil
	}
	return ended
}

// typed holds a typist's keys. When the session reads their end, it has processed all of them, including those that it rejects.
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

// waitForEnd returns when the session has read the end of the keys, is over, or hangs.
func (t *typed) waitForEnd(over <-chan struct{}) {
	stuck := time.NewTimer(2 * time.Second)
	defer stuck.Stop()
	select {
	case <-t.end:
	case <-over:
	case <-stuck.C:
	}
}

// lines returns a typist of the lines of standard input. It begins when the host has sent its first output and is silent.
func (f *sessionFlags) lines(stdin *os.File, until *regexp.Regexp) typist {
	idle := time.Duration(f.idle)
	if idle == 0 {
		idle = defaultIdle
	}
	return func(ctx context.Context, s *terminal.Screen, keys io.Writer) error {
		s.Quiet(ctx, firstIdle)
		typed := make(chan struct{})
		go func() { // it may hang in Read: reading a terminal ends only with the process
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
		case <-s.Over:
		}
		select {
		case <-s.Over: // its end says how it went
			return nil
		default:
			return errEnough
		}
	}
}

const (
	firstIdle   = 500 * time.Millisecond // longer than hosts pause within a greeting
	defaultIdle = 2 * time.Second
)

// attach attaches the terminal on which deref was started. It restores the terminal's settings however the session ends. keyboard is an open file of the
// terminal, from which reading ends for a program that goes on after the session.
func attach(ctx context.Context, a *app.App, keyboard *os.File, c *fetch.Client, u uri.URI, o *fetch.Options) error {
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
	go func() {
		_, err := io.Copy(e, keyboard)
		keys.CloseWithError(err)
	}()
	defer keyboard.SetReadDeadline(time.Now())
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

// scripted reads the script of --script. It checks all of it before any server is contacted.
func (f *sessionFlags) scripted(a *app.App, until *regexp.Regexp) (typist, error) {
	in, err := flags.Open(f.script, a.Stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
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
