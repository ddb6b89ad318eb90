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
	"time"

	"example.org/deref/fetch"
)

// A process is one program at work.
type process struct {
	cmd    *exec.Cmd
	ctx    context.Context // the request's
	stop   context.CancelFunc
	out    *bufio.Reader
	pipe   io.ReadCloser
	words  tail
	idle   time.Duration
	timer  *time.Timer
	ended  sync.Once
	status error
	silent chan struct{} // closed when the program has been silent for too long
}

// linger is how long a killed program's children may hold its pipes open.
const linger = time.Second

// Run runs the program and reads the head of its answer.
func (h handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	x, err := h.start(ctx, p, env)
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

func (h handler) start(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*process, error) {
	running, stop := context.WithCancel(ctx)
	x := &process{ctx: ctx, stop: stop, idle: env.Timeouts().Idle, silent: make(chan struct{})}
	x.cmd = exec.CommandContext(running, h.program.Path)
	x.cmd.Env = append([]string{}, h.program.Env...) // never nil: that would be ours
	x.cmd.WaitDelay = linger
	together(x.cmd)
	x.cmd.Stdin = strings.NewReader(fmt.Sprintf("deref 1\nuri %s\nop %s\n\n", p.URI, p.Options.Op))
	x.cmd.Stderr = &x.words
	var err error
	if x.pipe, err = x.cmd.StdoutPipe(); err == nil {
		err = x.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fetch.Errorf(fetch.ErrLocal, "the program of %s: %w", h.program.Scheme, err)
	}
	x.out = bufio.NewReader(reader{x})
	if x.idle > 0 {
		x.timer = time.AfterFunc(x.idle, func() { close(x.silent); stop() })
	}
	return x, nil
}

// reader reads the program's output; each piece gives it new time.
type reader struct{ x *process }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.x.pipe.Read(p)
	if n > 0 && r.x.timer != nil && r.x.timer.Stop() {
		r.x.timer.Reset(r.x.idle)
	}
	return n, err
}

// end waits for the program's end, having killed it where nobody wants to hear more.
func (x *process) end(kill bool) error {
	x.ended.Do(func() {
		if kill {
			x.stop()
		}
		x.status = x.cmd.Wait()
		x.stop()
		if x.timer != nil {
			x.timer.Stop()
		}
	})
	return x.status
}

// explain says why the program is not heard out: it was ended for its silence, or with the request, or err says it.
func (x *process) explain(err error) error {
	select {
	case <-x.silent:
		return fetch.Errorf(fetch.ErrTimeout, "the program was silent for %s", x.idle)
	default:
	}
	switch {
	case errors.Is(x.ctx.Err(), context.DeadlineExceeded):
		return fetch.Errorf(fetch.ErrTimeout, "the request took too long: %w", x.ctx.Err())
	case x.ctx.Err() != nil:
		return context.Cause(x.ctx)
	}
	return err
}

// failed is the error of a program whose exit status is not 0.
func (x *process) failed(kind fetch.Kind) error {
	text := x.words.last()
	if text != "" {
		text = ": " + text
	}
	exit, ok := errors.AsType[*exec.ExitError](x.status)
	if !ok {
		return fetch.Errorf(kind, "the program: %w", x.status)
	}
	return fetch.Errorf(kind, "the program failed (%s)%s", exit.ProcessState, text)
}

// tail keeps the end of what a program writes to standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostWords = 500

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-mostWords):]...)
	t.text = t.text[max(0, len(t.text)-mostWords):]
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
