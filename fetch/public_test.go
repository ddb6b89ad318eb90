package fetch_test

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"example.org/deref/fetch"
)

// dialed reports whether a Client with policy p passes addr to its Dialer.
func dialed(t *testing.T, p fetch.Policy, addr string) bool {
	t.Helper()
	c := fetch.New(scheme("probe", opened()))
	defer c.Close()
	c.Policy = p
	done := false
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		done = true
		a, b := net.Pipe()
		b.Close()
		return a, nil
	}
	host := addr
	if a, err := netip.ParseAddr(addr); err == nil && a.Is6() {
		host = "[" + addr + "]"
	}
	_, err := get(t, c, "probe://"+host+":7000/", nil)
	if !done {
		wantKind(t, err, fetch.ErrDenied)
	}
	return done
}

// DenyPrivate contacts IPv4 and 2000::/3, without the blocks that IANA lists as not globally reachable. Each block is tested at its first
// and last address, and just outside of it.
func TestPromise4PublicAddresses(t *testing.T) {
	for _, tt := range []struct {
		public bool
		list   []string
	}{
		{false, []string{"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
			"127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.8", "192.0.0.11", "192.0.0.170",
			"192.0.0.171", "192.0.0.255", "192.0.2.1", "192.88.99.2", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
			"198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"}},
		{true, []string{"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
			"169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.0", "192.0.0.9", "192.0.0.10", "192.0.1.0", "192.0.3.0", "192.31.196.1",
			"192.52.193.1", "192.88.99.1", "192.167.255.255", "192.169.0.0", "192.175.48.1", "198.17.255.255", "198.20.0.0", "223.255.255.255"}},
		{false, []string{"::", "::1", "::2", "::8.8.8.8", "::127.0.0.1", "::ffff:0:8.8.8.8", "::ffff:127.0.0.1", "1::1", "64:ff9b:1::808:808",
			"64:ff9b:1:fffe::808:808", "64:ff9b:2::808:808", "100::1", "100:0:0:1::1", "200::1", "3ff::1", "400::1", "1fff:ffff::1",
			"2001:0:ffff:ffff::", "2001:1::", "2001:1::4", "2001:2::1", "2001:4:111::1", "2001:5::1", "2001:10::1", "2001:1f:ffff::1", "2001:40::1",
			"2001:1ff:ffff::1", "2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff:ffff::1", "4000::1", "5f00::1", "5f00:ffff::1", "8000::1",
			"fc00::1", "fdff::1", "fe00::1", "fe7f::1", "fe80::1", "febf::1", "fec0::1", "feff::1", "ff02::1", "ff0e::1"}},
		{true, []string{"2000::1", "2001:1::1", "2001:1::2", "2001:1::3", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:2f:ffff::1",
			"2001:30::1", "2001:3f:ffff::1", "2001:200::1", "2001:db7::1", "2001:db9::1", "2606:4700:4700::1111", "2620:4f:8000::1", "3ffe::1",
			"3fff:1000::1"}},
		// Addresses that are checked by the IPv4 address in them: NAT64 (RFC 6052), 6to4 (RFC 3056), IPv4-mapped (RFC 4291), Teredo (RFC
		// 4380: the server, and the client inverted).
		{true, []string{"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7"}},
		{false, []string{"::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::",
			"64:ff9b:0:0:0:1::808", "2002:7f00:1::1", "2002:a01:203::1", "2002:c0a8:101::1", "2001:0:808:808::f5fe:fdfc",
			"2001:0:a01:203::f7f7:f7f7"}},
	} {
		for _, addr := range tt.list {
			if got := dialed(t, fetch.Policy{DenyPrivate: true}, addr); got != tt.public {
				t.Errorf("%s: contacted is %v, want %v", addr, got, tt.public)
			}
		}
	}
}

// Denying an IPv4 network also denies the IPv6 addresses that embed its addresses. Allowing one does not allow addresses of a NAT64
// translator, since it is not known where that sends its packets.
func TestPromise4AddressesInside(t *testing.T) {
	for _, tt := range []struct {
		addr string
		p    fetch.Policy
		want bool
	}{
		{"64:ff9b::10.1.2.3", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, false},
		{"2002:a01:203::1", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, false},
		{"2001:0:808:808::f5fe:fdfc", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, false},
		{"::10.1.2.3", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, false},
		{"::ffff:10.1.2.3", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, false},
		{"64:ff9b::11.1.2.3", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, true},
		{"64:ff9b::10.1.2.3", fetch.Policy{DenyPrivate: true, Allow: prefixes("10.0.0.0/8")}, false},
		{"64:ff9b::10.1.2.3", fetch.Policy{DenyPrivate: true, Allow: prefixes("64:ff9b::/96")}, true},
		{"64:ff9b:1::10.1.2.3", fetch.Policy{DenyPrivate: true, Allow: prefixes("64:ff9b:1::/48")}, true},
		{"::ffff:10.1.2.3", fetch.Policy{DenyPrivate: true, Allow: prefixes("10.0.0.0/8")}, true},
	} {
		if got := dialed(t, tt.p, tt.addr); got != tt.want {
			t.Errorf("%s with %+v: contacted is %v, want %v", tt.addr, tt.p, got, tt.want)
		}
	}
}
