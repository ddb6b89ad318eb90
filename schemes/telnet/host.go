package telnet

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
	"example.org/deref/schemes/internal/telhost"
	"example.org/deref/schemes/internal/telopt"
)

// A host is the conversation with one host, whoever reads it.
type host struct {
	*telhost.Host // Mu guards what follows, too

	said  []byte // data that has come and was not taken yet
	term  string
	types int                     // how many terminal types were told
	size  func() (cols, rows int) // of the terminal
	lines lineMode
	flow  session.Flow
}

func dial(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*host, error) {
	s := &host{term: p.Options.Get(setTerm), size: func() (int, int) { return 80, 24 }}
	h, err := telhost.Dial(ctx, p, env, s)
	if err != nil {
		return nil, err
	}
	s.Host = h
	h.Renewed = func() { s.lines = lineMode{} }
	return s, nil
}

// hear reads once from the host, answers what it asks, and returns what it said. The slice is valid until the next call.
func (s *host) hear(ctx context.Context, buf []byte) ([]byte, error) {
	s.said = s.said[:0]
	err := s.Hear(ctx, buf)
	return s.said, err
}

// say announces the planned step of a condition that has come true, with what stands for <name>.
func (s *host) say(cond string, supplied ...string) []string {
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
	s.Say(step)
	return args
}

// Data and Command are called by the stream, as are the methods in option.go. Outside binary transmission NUL is no operation of the
// printer (RFC 854 "The NVT printer and keyboard"); inetutils' telnetd sends some before its first line.
func (s *host) Data(p []byte) error {
	at := len(s.said)
	s.said = append(s.said, p...)
	if !s.Stream.On(telopt.Them, telopt.Binary) {
		s.said = s.said[:at+len(slices.DeleteFunc(s.said[at:], func(c byte) bool { return c == 0 }))]
	}
	return nil
}

// Command ignores GA, NOP, DM and the keys that only a terminal has.
func (s *host) Command(byte) error { return nil }
