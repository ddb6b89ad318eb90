// Package resolve looks host names up, remembers their addresses, and connects to the first address that answers.
//
// Nothing in it decides where a program may connect to: the caller checks every address when it is dialed.
package resolve

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// Names remembers the addresses of hosts, and which of them worked. It is safe for concurrent use.
type Names struct {
	Resolver *net.Resolver // nil is the system's
	Timeout  time.Duration // of a lookup; not positive means none

	Fixed  func(host, port string) []netip.Addr // replaces the lookup if it returns addresses; nil never does
	Wants  func(a netip.Addr) bool              // reports whether an address may be returned; nil allows all
	Wanted string                               // the addresses that Wants allows, in words: "IPv4"

	mu    sync.Mutex
	hosts map[string]*hostName
}

// A hostName holds the addresses of one name.
type hostName struct {
	addrs []netip.Addr // in the order in which they are tried
	until time.Time    // when addrs are looked up again; zero if they were never known
	good  netip.Addr   // the address that worked last
	query *query       // in progress, or nil
}

// A query is a lookup shared by all callers that want the same name at the same time.
type query struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // callers; the last one to give up cancels the query
	addrs   []netip.Addr
	err     error
}

const (
	remembered = time.Minute // how long addresses are, as in curl; package net does not return the TTL
	mostNames  = 1024
	mostAddrs  = 64 // of a name. A server that does not answer keeps a descriptor for each
)

// Addresses returns the addresses of host in the order in which they should be tried. An error is returned to all callers that wait for the
// same query, and not remembered.
func (n *Names) Addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	key := strings.ToLower(host)
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
		if inner, q.cancel = context.WithCancel(context.WithoutCancel(ctx)); n.Timeout > 0 {
			inner, q.cancel = context.WithTimeout(inner, n.Timeout)
		}
		h.query = q
		go n.lookUp(inner, key, h, q)
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

// AddressesOf is Addresses for a host that may itself be an address, by the rules of Fixed and Wants.
func (n *Names) AddressesOf(ctx context.Context, host, port string) (addrs []netip.Addr, err error) {
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{a}
	} else if n.Fixed != nil {
		addrs = slices.Clone(n.Fixed(host, port))
	}
	if len(addrs) == 0 {
		if addrs, err = n.Addresses(ctx, host); err != nil || len(addrs) == 0 {
			return nil, cmp.Or(err, error(&net.DNSError{Err: "no such host", Name: host, IsNotFound: true}))
		}
	}
	if n.Wants == nil {
		return addrs, nil
	}
	addrs = slices.DeleteFunc(addrs, func(a netip.Addr) bool { return !n.Wants(a) })
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "none of them is " + n.Wanted, Name: host, IsNotFound: true}
	}
	return addrs, nil
}

// host returns the entry of a name. The caller holds n.mu.
func (n *Names) host(key string) *hostName {
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

// drop removes the names that have expired, or any one if none has.
func (n *Names) drop() {
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

// lookUp carries out a query.
func (n *Names) lookUp(ctx context.Context, host string, h *hostName, q *query) {
	defer q.cancel()
	all, err := cmp.Or(n.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
	if err != nil { // package net treats a hosts file that it cannot open as an empty one
		err = cmp.Or(socket.Shortage(), err)
	}
	var addrs []netip.Addr
	for _, a := range all {
		if a = a.Unmap(); !slices.Contains(addrs, a) && len(addrs) < mostAddrs {
			addrs = append(addrs, a)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if h.query == q {
		h.query = nil
	}
	if err == nil {
		h.addrs, h.until = h.sorted(addrs), time.Now().Add(remembered)
	}
	q.addrs, q.err = slices.Clone(h.addrs), err
	close(q.done)
}

// sorted puts the address that worked last first. After it, it keeps the resolver's order (RFC 6724), but alternates the families (RFC 8305 section 4).
func (h *hostName) sorted(addrs []netip.Addr) []netip.Addr {
	addrs = alternating(addrs)
	if i := slices.Index(addrs, h.good); i > 0 {
		addrs = slices.Insert(slices.Delete(addrs, i, i+1), 0, h.good)
	}
	return addrs
}

// alternating alternates the address families, beginning with that of the first address.
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

// Worked records to which address of host a connection was made.
func (n *Names) Worked(host string, good netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.hosts[strings.ToLower(host)]; h != nil && h.good != good {
		h.good = good
		h.addrs = h.sorted(h.addrs)
	}
}

// Failed makes the next connection to host look it up again: none of its addresses worked, and they may have changed.
func (n *Names) Failed(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.hosts[strings.ToLower(host)]; h != nil {
		h.until = time.Time{}
	}
}

// Len returns how many names are remembered.
func (n *Names) Len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.hosts)
}
