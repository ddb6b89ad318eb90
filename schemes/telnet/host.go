package telnet

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/terminal"
)

// A host is the connection to a host. It is the Handler of its Stream.
type host struct {
	*nvt.Host // Mu guards the following fields, too

	output []byte // bytes of the host since the last read began
	term   string
	types  int                     // how many terminal types were sent
	size   func() (cols, rows int) // of the terminal
	flow   terminal.Flow
}

// dial connects to the host.
func (r request) dial(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*host, error) {
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	s := &host{term: r.term, size: func() (int, int) { return 80, 24 }}
	h, err := nvt.Dial(ctx, p, env, s)
	if err != nil {
		return nil, err
	}
	s.Host = h
	return s, nil
}

// read reads once from the host, answers its options, and returns its output. The slice is valid until the next call.
func (s *host) read(ctx context.Context, buf []byte) ([]byte, error) {
	s.output = s.output[:0]
	err := s.Read(ctx, buf)
	return s.output, err
}

// announce announces the planned step of a condition that has come true, and returns its arguments. The supplied values replace the
// placeholders, in order.
func (s *host) announce(cond string, supplied ...string) []string {
	steps := s.Plan.When(cond)
	if len(steps) == 0 {
		return nil
	}
	step, args := steps[0], []string(nil)
	for _, a := range step.Args {
		if strings.HasPrefix(a, "<") && len(supplied) > 0 {
			a, supplied = supplied[0], supplied[1:]
		}
		args = append(args, a)
	}
	step.Args = args
	s.Announce(step)
	return args
}

// Data collects output. Outside of binary transmission, NUL means no operation (RFC 854 "The NVT printer and keyboard"); inetutils' telnetd
// sends some before its first line.
func (s *host) Data(p []byte) error {
	at := len(s.output)
	s.output = append(s.output, p...)
	if !s.Stream.On(nvt.Them, nvt.Binary) {
		s.output = s.output[:at+len(slices.DeleteFunc(s.output[at:], func(c byte) bool { return c == 0 }))]
	}
	return nil
}

// Command ignores all commands.
func (s *host) Command(byte) error { return nil }
