package fetch

import "sync"

// A Peer is what a Client remembers about one server: facts that spare later requests a detour ("pipelining failed", a
// challenge to answer before it is sent again). The cache is bounded, so a value may be lost. It is safe for concurrent use.
type Peer struct {
	cache *peerCache
	addr  string
}

// Peer returns what the Client remembers about the Plan's Addr.
func (e *Env) Peer() Peer { return Peer{&e.client.peers, e.plan.Addr} }

// Get returns the value of that name, nil if there is none. Other requests may use it at the same time.
func (p Peer) Get(name string) any {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	return p.cache.at[p.addr][name]
}

// Set remembers a value, in place of the last one of that name.
func (p Peer) Set(name string, value any) {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	known := p.cache.at[p.addr]
	switch _, replaced := known[name]; {
	case replaced:
	case len(known) >= maxPeerValues, known == nil && len(p.cache.at) >= maxPeers:
		return
	case known == nil:
		known = map[string]any{}
		if p.cache.at == nil {
			p.cache.at = map[string]map[string]any{}
		}
		p.cache.at[p.addr] = known
	}
	known[name] = value
}

// A peerCache holds the values of all peers, by address and name.
type peerCache struct {
	mu sync.Mutex
	at map[string]map[string]any
}

const (
	maxPeers      = 1024
	maxPeerValues = 32
)
