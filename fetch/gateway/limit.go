package gateway

import (
	"net/http"
	"net/netip"
	"sync"
)

// Bounds of the requests that are served at a time. A browser opens six connections to a server.
const (
	defaultPerClient = 32 // of one client
	maxRequests      = 1024
)

// A limiter counts the requests being served.
type limiter struct {
	perClient int // limit
	mu        sync.Mutex
	of        map[string]int
	n         int
}

// enter admits a request, or returns the status for refusing it.
func (l *limiter) enter(client string) (status int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.of[client] >= l.perClient:
		return http.StatusTooManyRequests, "too many concurrent requests from your address"
	case l.n >= maxRequests:
		return http.StatusServiceUnavailable, "too many concurrent requests"
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

// now returns the number of requests being served.
func (l *limiter) now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// oneClient returns the unit that counts as one client: an address, or an IPv6 network, within which a client has any number of addresses.
func oneClient(r *http.Request) string {
	host := clientOf(r)
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() && !a.Is4In6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return host
}
