package command

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// announcement returns the lines about where a gateway on the address at is reached, and by whom. own are the addresses of this machine: a
// gateway on all of them ("0.0.0.0", "::") is reached by each one, and never by the unspecified address itself.
func announcement(at net.Addr, own []netip.Addr) []string {
	ap, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return []string{"the gateway is http://" + at.String() + "/ until interrupted (Ctrl-C)"}
	}
	list := []netip.Addr{ap.Addr()}
	if ap.Addr().IsUnspecified() {
		list = reachable(own, ap.Addr())
	}
	var urls []string
	for _, a := range list {
		urls = append(urls, "http://"+netip.AddrPortFrom(a.Unmap(), ap.Port()).String()+"/")
	}
	return []string{"the gateway is " + strings.Join(urls, " and ") + " until interrupted (Ctrl-C)", audience(ap.Addr())}
}

// audience returns who can connect to what listens on an address.
func audience(at netip.Addr) string {
	if at.Unmap().IsLoopback() {
		return "only programs on this machine can connect to it"
	}
	return "everyone whose packets reach this machine can connect to it, without a password"
}

// reachable returns the addresses of own by which others reach a gateway on all. It returns loopback if there are none. Link-local addresses
// are omitted: a browser accepts no zone in a URL, and finds them by no other means.
func reachable(own []netip.Addr, all netip.Addr) []netip.Addr {
	own = slices.DeleteFunc(slices.Clone(own), func(a netip.Addr) bool {
		return !a.IsGlobalUnicast() || a.Is6() && all.Is4() // "::" accepts IPv4 as well
	})
	if len(own) == 0 {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	}
	slices.SortStableFunc(own, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() }) // IPv4 first: it is shorter to type
	return own
}

// interfaces returns the addresses of this machine.
func interfaces() (list []netip.Addr) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			list = append(list, p.Addr().Unmap())
		}
	}
	return list
}
