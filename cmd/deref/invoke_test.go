package main

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/deref/cmd/command"
)

// invoke runs a command line in this process, with pipes as its streams, and returns its exit status. It is for tests whose subject is not the
// process: to start one takes longer than most command lines.
func invoke(ctx context.Context, getenv func(string) string, stdin string, stdout, stderr io.Writer, args ...string) (status int, err error) {
	e := command.Environment{Getenv: getenv}
	var copying sync.WaitGroup
	defer copying.Wait()
	if e.Stdin, err = os.Open(os.DevNull); err != nil {
		return 0, err
	}
	defer func() { e.Stdin.Close() }()
	if stdin != "" {
		in, w, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		e.Stdin.Close()
		e.Stdin = in
		copying.Go(func() {
			defer w.Close()
			io.WriteString(w, stdin)
		})
	}
	for stream, to := range map[**os.File]io.Writer{&e.Stdout: stdout, &e.Stderr: stderr} {
		from, w, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		defer w.Close()
		*stream = w
		copying.Go(func() {
			defer from.Close()
			io.Copy(to, from)
		})
	}
	return command.Main(ctx, args, e), nil
}

// An input is what a command line gets besides its arguments. Its only variables are HOME and those of env.
type input struct {
	home  string   // "" is an empty directory
	env   []string // "NAME=value"
	stdin string
}

// invoked runs a command line in this process, and returns its output and its exit status.
func invoked(t *testing.T, in input, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	env := map[string]string{"HOME": in.home}
	if in.home == "" {
		env["HOME"] = t.TempDir()
	}
	for _, pair := range in.env {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	var out, errs strings.Builder
	code, err := invoke(t.Context(), func(name string) string { return env[name] }, in.stdin, &out, &errs, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), code
}

// write writes a file, and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// contents returns the text of a file.
func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// callDeref is the command "call deref" of scripts: it is "exec deref" in this process. Its standard input is empty, or FILE at the end of a line with
// "< FILE".
func callDeref(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "deref" {
		ts.Fatalf("usage: call deref [ARG...] [< FILE]")
	}
	stdin := ""
	if i := len(args) - 2; i > 0 && args[i] == "<" {
		stdin, args = ts.ReadFile(args[i+1]), args[:i]
	}
	here, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(here)
	status, err := invoke(context.Background(), ts.Getenv, stdin, ts.Stdout(), ts.Stderr(), args[1:]...)
	ts.Check(err)
	if (status != 0) != neg {
		ts.Fatalf("got exit status %d", status)
	}
}

// oneByOne runs scripts without t.Parallel, because they change the working directory of this process.
type oneByOne struct{ *testing.T }

func (oneByOne) Parallel() {}

func (oneByOne) Verbose() bool { return testing.Verbose() }

func (t oneByOne) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

// long skips a test in short runs. Otherwise the test runs next to others.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
	t.Parallel()
}
