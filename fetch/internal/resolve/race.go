package resolve

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// Delays before the next address is tried while the one before it has not answered (RFC 8305 section 5). A server of the same family that is
// merely slow should not see two connections, since some servers ration them.
const (
	otherFamily = 300 * time.Millisecond
	sameFamily  = time.Second
)

// Dial looks host up, which may be an address, and connects to the first of its addresses that answers. connect connects to one of them.
func (n *Names) Dial(ctx context.Context, host, port string, connect func(ctx context.Context, target string) (net.Conn, error)) (net.Conn, error) {
	if a, err := netip.ParseAddr(host); err == nil && (n.Wants == nil || n.Wants(a)) {
		return connect(ctx, net.JoinHostPort(host, port))
	}
	addrs, err := n.AddressesOf(ctx, host, port)
	if err != nil {
		return nil, err
	}
	nc, at, err := race(ctx, addrs, func(ctx context.Context, a netip.Addr) (net.Conn, error) {
		return connect(ctx, net.JoinHostPort(a.String(), port))
	})
	if err == nil {
		n.Worked(host, addrs[at])
	}
	return nc, err
}

// An attempt is the outcome of dialing one address.
type attempt struct {
	at  int
	nc  net.Conn
	err error
}

// race dials the addresses one after the other, each while those before it may still answer. It returns the first connection and the index of
// its address. All addresses are tried, however many there are, within the first half of the time that ctx leaves. If all fail, race returns
// the first address's error.
func race(ctx context.Context, addrs []netip.Addr, dial func(context.Context, netip.Addr) (net.Conn, error)) (net.Conn, int, error) {
	if len(addrs) == 1 {
		nc, err := dial(ctx, addrs[0])
		return nc, 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	most := sameFamily
	if t, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(t)/2/time.Duration(len(addrs)))
	}
	results := make(chan attempt, len(addrs)) // buffered, since nobody receives late results
	errs := make([]error, len(addrs))
	started, ended := 0, 0
	defer func() {
		if started > ended {
			go reap(results, started-ended)
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ended < len(addrs) {
		select {
		case <-timer.C:
			go func(at int) {
				nc, err := dial(ctx, addrs[at])
				results <- attempt{at, nc, err}
			}(started)
			started++
			if started < len(addrs) {
				timer.Reset(min(delay(addrs[started-1], addrs[started]), most))
			}
		case r := <-results:
			ended++
			if r.err == nil {
				return r.nc, r.at, nil
			}
			errs[r.at] = r.err
			if started < len(addrs) {
				timer.Reset(0)
			}
		}
	}
	return nil, 0, errs[0]
}

func delay(last, next netip.Addr) time.Duration {
	if last.Is4() != next.Is4() {
		return otherFamily
	}
	return sameFamily
}

// reap closes the connections that were made too late.
func reap(results <-chan attempt, n int) {
	for range n {
		if r := <-results; r.nc != nil {
			r.nc.Close()
		}
	}
}
