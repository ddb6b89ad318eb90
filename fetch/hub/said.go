//go:build unix || windows

package hub

import (
	"fmt"
	"sync"
)

// said is the logger of a server of NATS. It keeps the last problem, because the server tells less to its clients, and nothing to its caller.
type said struct {
	mu    sync.Mutex
	last  string
	fatal bool // the server does not start
}

func (s *said) keep(format string, v []any, fatal bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.fatal = fmt.Sprintf(format, v...), s.fatal || fatal
}

// problem returns the last problem, or "".
func (s *said) problem() (text string, fatal bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.fatal
}

func (s *said) Fatalf(format string, v ...any) { s.keep(format, v, true) }
func (s *said) Errorf(format string, v ...any) { s.keep(format, v, false) }
func (s *said) Warnf(format string, v ...any)  { s.keep(format, v, false) }
func (s *said) Noticef(string, ...any)         {}
func (s *said) Debugf(string, ...any)          {}
func (s *said) Tracef(string, ...any)          {}
