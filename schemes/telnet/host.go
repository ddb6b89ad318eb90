package telnet

import (
	"context"
	"errors"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/telopt"
)

// A host is the conversation with one host, whoever reads it.
type host struct {
	env  *fetch.Env
	plan *fetch.Plan
	conn *fetch.Conn

	mu     sync.Mutex // guards what follows, and the order of what is sent
	stream *telopt.Stream
	said   []byte // data that has come and was not taken yet
	term   string
	types  int                     // how many terminal types were told
	size   func() (cols, rows int) // of the terminal
	secure bool                    // the host has agreed to TLS
}

func dial(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*host, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS, Record: fetch.RecordOctets})
	if err != nil {
		return nil, err
	}
	s := &host{env: env, plan: p, conn: c, term: p.Options.Get(setTerm), size: func() (int, int) { return 80, 24 }}
	s.stream = telopt.New(s)
	return s, nil
}

// hear reads once from the host, answers what it asks, and returns what it said. The slice is valid until the next call.
func (s *host) hear(ctx context.Context, buf []byte) ([]byte, error) {
	n, readErr := s.conn.Read(buf)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = s.said[:0]
	if err := s.stream.Receive(buf[:n]); err != nil {
		return s.said, protocol(err)
	}
	if err := s.flush(); err != nil {
		return s.said, err
	}
	if s.secure {
		s.secure = false
		if err := s.env.StartTLS(ctx, s.conn); err != nil {
			return s.said, err
		}
		s.stream = telopt.New(s) // the negotiation begins anew
	}
	return s.said, readErr
}

// protocol gives an error of the stream its kind.
func protocol(err error) error {
	if fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrProtocol, "%w", err)
}

// flush sends the answers. The caller holds mu.
func (s *host) flush() error {
	out := s.stream.Answers()
	if len(out) == 0 {
		return nil
	}
	_, err := s.conn.Write(out)
	return err
}

// say announces the planned step of a condition that has come true, with what stands for <name>.
func (s *host) say(cond string, supplied ...string) []string {
	steps := s.plan.When(cond)
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
	s.env.Say(step)
	return args
}

// Data and Command are called by the stream, as are the methods in option.go.
func (s *host) Data(p []byte) error {
	s.said = append(s.said, p...)
	return nil
}

// Command ignores GA, NOP, DM and the keys that only a terminal has.
func (s *host) Command(byte) error { return nil }

// errInjected is what came in clear behind the host's consent to TLS: anybody on the way may have written it.
var errInjected = errors.New("the host sent more in clear behind its consent to TLS")
