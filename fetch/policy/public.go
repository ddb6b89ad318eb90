package policy

import (
	"net/netip"
	"slices"
	"strings"
)

// special lists the blocks of IANA's special-purpose address registries as of 2025-10-09 (RFC 6890, as amended by RFC 8190): whether the block is
// "Globally Reachable", and what it is. For entries with N/A, the text says what decides. It does not contain multicast: see IsPublic.
const special = `
0.0.0.0/8            no   RFC 791, this network
0.0.0.0/32           no   RFC 1122, this host on this network
10.0.0.0/8           no   RFC 1918, private use
100.64.0.0/10        no   RFC 6598, shared address space
127.0.0.0/8          no   RFC 1122, loopback
169.254.0.0/16       no   RFC 3927, link local
172.16.0.0/12        no   RFC 1918, private use
192.0.0.0/24         no   RFC 6890, IETF protocol assignments
192.0.0.0/29         no   RFC 7335, IPv4 service continuity
192.0.0.8/32         no   RFC 7600, IPv4 dummy address
192.0.0.9/32         yes  RFC 7723, Port Control Protocol anycast
192.0.0.10/32        yes  RFC 8155, TURN anycast
192.0.0.170/32       no   RFC 8880, NAT64/DNS64 discovery
192.0.0.171/32       no   RFC 8880, NAT64/DNS64 discovery
192.0.2.0/24         no   RFC 5737, documentation
192.31.196.0/24      yes  RFC 7535, AS112-v4
192.52.193.0/24      yes  RFC 7450, AMT
192.88.99.0/24       yes  RFC 7526, 6to4 relay anycast: N/A since 2015, the registration has ended
192.88.99.2/32       no   RFC 6751, 6a44 relay anycast
192.168.0.0/16       no   RFC 1918, private use
192.175.48.0/24      yes  RFC 7534, AS112, direct delegation
198.18.0.0/15        no   RFC 2544, benchmarking
198.51.100.0/24      no   RFC 5737, documentation
203.0.113.0/24       no   RFC 5737, documentation
240.0.0.0/4          no   RFC 1112, reserved
255.255.255.255/32   no   RFC 8190, limited broadcast
::1/128              no   RFC 4291, loopback
::/128               no   RFC 4291, unspecified
::ffff:0:0/96        no   RFC 4291, IPv4-mapped: the IPv4 address decides
64:ff9b::/96         yes  RFC 6052, NAT64: the IPv4 address decides
64:ff9b:1::/48       no   RFC 8215, NAT64 for local use: the position of the IPv4 address is not known
100::/64             no   RFC 6666, discard only
100:0:0:1::/64       no   RFC 9780, dummy prefix
2001::/23            no   RFC 2928, IETF protocol assignments
2001::/32            yes  RFC 4380, Teredo, N/A: the IPv4 addresses decide
2001:1::1/128        yes  RFC 7723, Port Control Protocol anycast
2001:1::2/128        yes  RFC 8155, TURN anycast
2001:1::3/128        yes  RFC 9665, DNS-SD service registration anycast
2001:2::/48          no   RFC 5180, benchmarking
2001:3::/32          yes  RFC 7450, AMT
2001:4:112::/48      yes  RFC 7535, AS112-v6
2001:10::/28         no   RFC 4843, ORCHID: N/A since 2014, as the block around it
2001:20::/28         yes  RFC 7343, ORCHIDv2
2001:30::/28         yes  RFC 9374, drone remote identification
2001:db8::/32        no   RFC 3849, documentation
2002::/16            yes  RFC 3056, 6to4, N/A: the IPv4 address decides
2620:4f:8000::/48    yes  RFC 7534, AS112, direct delegation
3fff::/20            no   RFC 9637, documentation
5f00::/16            no   RFC 9602, segment routing identifiers
fc00::/7             no   RFC 4193, unique local
fe80::/10            no   RFC 4291, link local
`

// IsPublic reports whether a is an address of the public network: IPv4 or 2000::/3 (the only global unicast space that IANA has opened; RFC
// 4291 section 2.4), except for what the registries list as not globally reachable. The longest block that contains a decides. An address that
// embeds IPv4 addresses is public if all of them are. One that embeds them and is neither NAT64 nor in 2000::/3 is not public: nothing routes
// it (IPv4-compatible addresses are deprecated, RFC 4291 section 2.5.5.1).
func IsPublic(a netip.Addr) bool {
	if a = a.Unmap(); !a.IsGlobalUnicast() { // multicast above all
		return false
	}
	public, longest := a.Is4() || netip.MustParsePrefix("2000::/3").Contains(a), -1
	for line := range strings.Lines(special[1:]) {
		row := strings.Fields(line)
		if p := netip.MustParsePrefix(row[0]); p.Bits() > longest && p.Contains(a) {
			public, longest = row[1] == "yes", p.Bits()
		}
	}
	if public {
		for _, v4 := range embeddedIn(a) {
			public = public && IsPublic(v4)
		}
	}
	return public
}

// embeddedIn returns the IPv4 addresses that an IPv6 address embeds: packets to a arrive at them, or pass through them. It returns nil for all
// other addresses.
func embeddedIn(a netip.Addr) []netip.Addr {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	v4 := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	is := func(block string) bool { return netip.MustParsePrefix(block).Contains(a) }
	switch {
	case is("64:ff9b::/96"), is("::/96"), is("::ffff:0:0:0/96"): // RFC 6052 section 2.1; RFC 4291 section 2.5.5.1; RFC 2765 section 2.1
		return []netip.Addr{v4(12)}
	case is("2002::/16"): // RFC 3056 section 2
		return []netip.Addr{v4(2)}
	case is("2001::/32"): // the server, and the client with all bits inverted: RFC 4380 section 4
		for i := 12; i < 16; i++ {
			b[i] = ^b[i]
		}
		return []netip.Addr{v4(4), v4(12)}
	}
	return nil
}

// IsLocalhost reports whether host is a name of this machine, regardless of the resolver: RFC 6761 section 6.3.
func IsLocalhost(host string) bool {
	if len(host) < len("localhost") {
		return false
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Within reports whether a belongs to a network of list.
func Within(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool {
		return p.Contains(a) || p.Addr().Is4In6() && p.Bits() >= 96 && netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96).Contains(a)
	})
}

// Reaches reports whether a belongs to a network of list, or embeds an IPv4 address that does.
func Reaches(list []netip.Prefix, a netip.Addr) bool {
	return Within(list, a) || slices.ContainsFunc(embeddedIn(a), func(v4 netip.Addr) bool { return Within(list, v4) })
}
