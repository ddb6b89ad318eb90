package terminal

import (
	"context"
	"io"
	"regexp"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// A Screen is the output of a session. It passes the output on, and keeps what was not matched yet, up to maxSeen bytes.
type Screen struct {
	to   io.Writer
	Over chan struct{} // closed when the session has ended

	mu      sync.Mutex
	seen    []byte
	last    time.Time     // of the last output, zero if there was none
	changed chan struct{} // holds one value if there was output since the last receive
}

// maxSeen limits the output that is searched for an expected text.
const maxSeen = 1 << 20

func NewScreen(to io.Writer) *Screen {
	return &Screen{to: to, Over: make(chan struct{}), changed: make(chan struct{}, 1)}
}

func (s *Screen) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.mu.Lock()
	s.seen = append(s.seen, p...)
	if over := len(s.seen) - maxSeen; over > 0 {
		s.seen = append(s.seen[:0], s.seen[over:]...)
	}
	s.last = time.Now()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return n, err
}

// HasOutput reports whether the host has sent anything.
func (s *Screen) HasOutput() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.last.IsZero()
}

// Quiet returns when the host has sent output and then nothing for d, or the session has ended.
func (s *Screen) Quiet(ctx context.Context, d time.Duration) {
	tick := time.NewTicker(max(d/8, 1))
	defer tick.Stop()
	begun := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.Over:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		last := s.last
		s.mu.Unlock()
		if last.IsZero() && time.Since(begun) < greetingTimeout {
			continue
		}
		if time.Since(last) >= d && time.Since(begun) >= d {
			return
		}
	}
}

// greetingTimeout is how long to wait for a host's first byte.
const greetingTimeout = 15 * time.Second

// Expect waits until the output since the last call matches, and removes it up to the end of the match. If d is 0, it waits without a limit.
func (s *Screen) Expect(ctx context.Context, re *regexp.Regexp, d time.Duration) (string, error) {
	if d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	for {
		if text, ok := s.match(re); ok {
			return text, nil
		}
		select {
		case <-s.changed:
		case <-s.Over:
			if text, ok := s.match(re); ok {
				return text, nil
			}
			return "", fetch.Errorf(fetch.ErrTruncated, "the session ended before the host sent %q", re)
		case <-ctx.Done():
			if d > 0 && context.Cause(ctx) == context.DeadlineExceeded {
				return "", fetch.Errorf(fetch.ErrTimeout, "the host did not send %q within %s", re, d)
			}
			return "", context.Cause(ctx)
		}
	}
}

func (s *Screen) match(re *regexp.Regexp) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := re.FindIndex(s.seen)
	if at == nil {
		return "", false
	}
	text := string(s.seen[at[0]:at[1]])
	s.seen = append(s.seen[:0], s.seen[at[1]:]...)
	return text, true
}
