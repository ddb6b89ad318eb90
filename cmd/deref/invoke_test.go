package main

import (
	"context"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/deref/cmd/command"
)

// invoke runs a command line in this process, with pipes as standard output and error, and returns its exit status. It is for tests whose subject is
// not the process: to start one takes longer than most command lines.
func invoke(ctx context.Context, getenv func(string) string, stdout, stderr io.Writer, args ...string) (status int, err error) {
	e := command.Environment{Getenv: getenv}
	if e.Stdin, err = os.Open(os.DevNull); err != nil {
		return 0, err
	}
	defer e.Stdin.Close()
	var copying sync.WaitGroup
	defer copying.Wait()
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

// callDeref is the command "call deref" of scripts: it is "exec deref" in this process, without the script's standard input.
func callDeref(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "deref" {
		ts.Fatalf("usage: call deref [args...]")
	}
	here, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(here)
	status, err := invoke(context.Background(), ts.Getenv, ts.Stdout(), ts.Stderr(), args[1:]...)
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
