package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// A process is a running program.
type process struct {
	cmd    *exec.Cmd
	ctx    context.Context // the request's
	stop   context.CancelFunc
	out    *bufio.Reader
	pipe   io.ReadCloser
	stderr tail
	idle   time.Duration
	ended  sync.Once
	status error
	silent atomic.Bool // the program has written nothing for too long
}

// linger is how long a killed program's children may hold its pipes open.
const linger = time.Second

// run starts the program and reads the head of its response.
func (program Program) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	x, err := program.start(ctx, p, env)
	if err != nil {
		return nil, err
	}
	d, err := (&head{process: x, env: env, plan: p}).read()
	if err != nil {
		x.end(true)
		return nil, x.explain(err)
	}
	return d, nil
}

func (program Program) start(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*process, error) {
	running, stop := context.WithCancel(ctx)
	x := &process{ctx: ctx, stop: stop, idle: env.Timeouts().Idle}
	x.cmd = exec.CommandContext(running, program.Path)
	x.cmd.Env = append([]string{}, program.Env...) // not nil, which would mean our own environment
	x.cmd.WaitDelay = linger
	killGroup(x.cmd)
	x.cmd.Stdin = strings.NewReader(fmt.Sprintf("deref 1\nuri %s\nop %s\n\n", p.URI, p.Options.Op))
	x.cmd.Stderr = &x.stderr
	var err error
	if x.pipe, err = x.cmd.StdoutPipe(); err == nil {
		err = x.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fetch.Errorf(fetch.ErrLocal, "cannot run the program for %s: %w", program.Scheme, err)
	}
	x.out = bufio.NewReader(output{x})
	return x, nil
}

// await calls f, which waits for the program, and kills the program if that takes too long. The program is not silent while nobody reads.
func (x *process) await(f func()) {
	if x.idle > 0 {
		defer time.AfterFunc(x.idle, func() {
			x.silent.Store(true)
			x.stop()
		}).Stop()
	}
	f()
}

// output reads the program's standard output.
type output struct{ x *process }

func (r output) Read(p []byte) (n int, err error) {
	r.x.await(func() { n, err = r.x.pipe.Read(p) })
	return n, err
}

// end waits for the program to exit, after killing it if kill is set, and returns its status.
func (x *process) end(kill bool) error {
	x.ended.Do(func() {
		if kill {
			x.stop()
		}
		x.await(func() { x.status = x.cmd.Wait() })
		x.stop()
	})
	return x.status
}

// explain returns why the program was ended: its silence, the end of the request, or else err.
func (x *process) explain(err error) error {
	switch {
	case x.silent.Load():
		return fetch.Errorf(fetch.ErrTimeout, "the program was silent for %s", x.idle)
	case errors.Is(x.ctx.Err(), context.DeadlineExceeded):
		return fetch.Errorf(fetch.ErrTimeout, "the request took too long: %w", x.ctx.Err())
	case x.ctx.Err() != nil:
		return context.Cause(x.ctx)
	}
	return err
}

// failed returns the error of a program whose exit status is not 0.
func (x *process) failed(kind fetch.Kind) error {
	text := x.stderr.last()
	if text != "" {
		text = ": " + text
	}
	exit, ok := errors.AsType[*exec.ExitError](x.status)
	if !ok {
		return fetch.Errorf(kind, "the program failed: %w", x.status)
	}
	return fetch.Errorf(kind, "the program failed (%s)%s", exit.ProcessState, text)
}

// A tail is a Writer that keeps the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 500

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailSize):]...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(p), nil
}

// last returns the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
