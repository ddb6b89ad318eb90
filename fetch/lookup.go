package fetch

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// names remembers the addresses of hosts for one Client, and which of them worked. Nothing in it decides where a Client may go: the guard
// checks each address again whenever it is dialed.
type names struct {
	mu    sync.Mutex
	hosts map[string]*hostName
}

// A hostName is what is known about one name.
type hostName struct {
	addrs []netip.Addr // in the order in which they are tried
	until time.Time    // when addrs are looked up again; zero if they were never known
	good  netip.Addr   // the address that worked last
	bad   []netip.Addr // those that did not, since they last worked
	query *query       // under way, nil if none is
}

// A query is a lookup that all who want the same name at the same time share.
type query struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // callers; the last one to leave ends the query
	addrs   []netip.Addr
	err     error
}

const (
	unknownTTL = time.Minute // where the resolver tells no TTL
	longestTTL = time.Hour
	mostNames  = 1024
)

// addresses returns the addresses of host, the one to try first at the beginning. An error is shared by those who wait for the same
// query, and not remembered.
func (c *Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	key := strings.ToLower(host)
	n := &c.names
	n.mu.Lock()
	h := n.host(key)
	if time.Now().Before(h.until) {
		defer n.mu.Unlock()
		return slices.Clone(h.addrs), nil
	}
	q := h.query
	if q == nil {
		q = &query{done: make(chan struct{})}
		var inner context.Context
		inner, q.cancel = c.withTimeout(context.WithoutCancel(ctx), c.timeouts.Connect)
		h.query = q
		go c.lookUp(inner, key, h, q)
	}
	q.waiting++
	n.mu.Unlock()
	select {
	case <-q.done:
		return slices.Clone(q.addrs), q.err
	case <-ctx.Done():
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		q.cancel()
		if h.query == q {
			h.query = nil
		}
	}
	return nil, &net.DNSError{Err: context.Cause(ctx).Error(), Name: host, IsTimeout: ctx.Err() == context.DeadlineExceeded}
}

// addressesOf is addresses for a host that may itself be an address.
func (c *Client) addressesOf(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	return c.addresses(ctx, host)
}

// host returns the entry of a name; n.mu is held.
func (n *names) host(key string) *hostName {
	h := n.hosts[key]
	if h != nil {
		return h
	}
	if n.hosts == nil {
		n.hosts = map[string]*hostName{}
	}
	if len(n.hosts) >= mostNames {
		n.drop()
	}
	h = &hostName{}
	n.hosts[key] = h
	return h
}

// drop makes room: for the names that have expired, or for any one.
func (n *names) drop() {
	now, any := time.Now(), ""
	for key, h := range n.hosts {
		if h.query != nil {
			continue
		}
		if now.After(h.until) {
			delete(n.hosts, key)
		}
		any = key
	}
	if len(n.hosts) >= mostNames {
		delete(n.hosts, any)
	}
}

// lookUp makes a query.
func (c *Client) lookUp(ctx context.Context, host string, h *hostName, q *query) {
	defer q.cancel()
	heard := &heardTTL{least: -1}
	all, err := c.resolving().LookupNetIP(context.WithValue(ctx, ttlKey{}, heard), "ip", host)
	var addrs []netip.Addr
	for _, a := range all {
		if a = a.Unmap(); !slices.Contains(addrs, a) {
			addrs = append(addrs, a)
		}
	}
	c.names.mu.Lock()
	defer c.names.mu.Unlock()
	if h.query == q {
		h.query = nil
	}
	if err == nil {
		h.addrs, h.until = h.sorted(addrs), time.Now().Add(heard.ttl())
	}
	q.addrs, q.err = slices.Clone(h.addrs), err
	close(q.done)
}

// sorted puts the address that worked last first, and those that did not work last. In between it leaves the resolver's order (RFC 6724), but
// lets the families take turns (RFC 8305 section 4).
func (h *hostName) sorted(addrs []netip.Addr) []netip.Addr {
	rank := func(a netip.Addr) int {
		switch {
		case a == h.good:
			return 0
		case slices.Contains(h.bad, a):
			return 2
		}
		return 1
	}
	addrs = alternating(addrs)
	slices.SortStableFunc(addrs, func(a, b netip.Addr) int { return rank(a) - rank(b) })
	return addrs
}

// alternating lets the address families take turns, beginning with that of the first address.
func alternating(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	all := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			all = append(all, first[i])
		}
		if i < len(second) {
			all = append(all, second[i])
		}
	}
	return all
}

// worked notes which address of host a connection was made to, and which were tried before it in vain.
func (c *Client) worked(host string, good netip.Addr, bad []netip.Addr) {
	n := &c.names
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.hosts[strings.ToLower(host)]
	if h == nil || h.good == good && len(bad) == 0 {
		return
	}
	h.good = good
	for _, a := range bad {
		if !slices.Contains(h.bad, a) {
			h.bad = append(h.bad, a)
		}
	}
	h.bad = slices.DeleteFunc(h.bad, func(a netip.Addr) bool { return a == good || !slices.Contains(h.addrs, a) })
	h.addrs = h.sorted(h.addrs)
}

// failed makes the next connection to host look it up again: none of its addresses worked, and it may have others by now.
func (c *Client) failed(host string) {
	n := &c.names
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.hosts[strings.ToLower(host)]; h != nil {
		h.until = time.Time{}
	}
}
