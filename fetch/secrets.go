package fetch

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// secrets is what may not be seen in any trace or error of one request.
type secrets struct {
	mu   sync.RWMutex
	list []string // longest first, so that a secret within another leaves nothing of it
}

const blank = "***"

func (s *secrets) add(secret string) {
	if secret == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.list, secret) {
		return
	}
	s.list = append(s.list, secret)
	slices.SortFunc(s.list, func(a, b string) int { return len(b) - len(a) })
}

func (s *secrets) maskString(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		text = strings.ReplaceAll(text, x, blank)
	}
	return text
}

func (s *secrets) mask(p []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if bytes.Contains(p, []byte(x)) {
			p = bytes.ReplaceAll(p, []byte(x), []byte(blank))
		}
	}
	return p
}

// unfinished returns how many octets at the end of p could be the beginning of a secret, and so must wait for what follows.
func (s *secrets) unfinished(p []byte) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	most := 0
	for _, x := range s.list {
		for n := min(len(x)-1, len(p)); n > most; n-- {
			if bytes.HasSuffix(p, []byte(x[:n])) {
				most = n
				break
			}
		}
	}
	return most
}
