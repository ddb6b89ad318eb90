package fetch

import (
	"slices"
	"sync"
)

// facts is what a Client has learned about peers: bounded, and lost with the Client.
type facts struct {
	mu sync.Mutex
	at map[string][]string
}

const (
	maxPeers = 1024
	maxFacts = 16
)

func (f *facts) learn(addr, fact string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == nil {
		f.at = map[string][]string{}
	}
	known := f.at[addr]
	if len(known) >= maxFacts || len(f.at) >= maxPeers && known == nil || slices.Contains(known, fact) {
		return
	}
	f.at[addr] = append(known, fact)
}

func (f *facts) knows(addr, fact string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.at[addr], fact)
}
