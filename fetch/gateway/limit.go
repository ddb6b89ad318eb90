package gateway

import (
	"net/http"
	"net/netip"
	"sync"
)

// Defaults of Config. A browser opens six connections to a server.
const (
	defaultPerClient = 32
	defaultClients   = 1024
)

// A limiter counts the requests that are being answered.
type limiter struct {
	perClient, all int // at most
	mu             sync.Mutex
	of             map[string]int
	n              int
}

// enter takes a request in, or says with which status it is refused.
func (l *limiter) enter(client string) (status int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.of[client] >= l.perClient:
		return http.StatusTooManyRequests, "too many requests of yours are being answered"
	case l.n >= l.all:
		return http.StatusServiceUnavailable, "too many requests are being answered"
	}
	if l.of == nil {
		l.of = map[string]int{}
	}
	l.of[client]++
	l.n++
	return 0, ""
}

func (l *limiter) leave(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	if l.of[client]--; l.of[client] == 0 {
		delete(l.of, client)
	}
}

// now is how many requests are being answered.
func (l *limiter) now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// oneClient is who counts as one: an address, or a network of IPv6, of which everybody has as many as he wants.
func oneClient(r *http.Request) string {
	host := clientOf(r)
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() && !a.Is4In6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return host
}
