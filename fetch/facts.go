package fetch

import (
	"slices"
	"sync"
)

// facts is what a Client has learned about peers: bounded, and lost with the Client.
type facts struct {
	mu   sync.Mutex
	at   map[string][]string
	kept map[kept]any
}

// kept is the key of a value: whose, and what.
type kept struct{ addr, name string }

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

func (f *facts) keep(addr, name string, v any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := kept{addr, name}
	if f.kept == nil {
		f.kept = map[kept]any{}
	}
	if _, known := f.kept[k]; known || len(f.kept) < maxPeers {
		f.kept[k] = v
	}
}

func (f *facts) value(addr, name string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept[kept{addr, name}]
}
