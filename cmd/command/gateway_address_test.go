package command

import (
	"net"
	"net/netip"
	"slices"
	"testing"
)

func TestAnnouncementOfAllAddresses(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("2001:db8::7"),
		netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("fe80::7%eth0")}
	for _, tt := range []struct {
		at   string
		own  []netip.Addr
		want string
	}{
		{"0.0.0.0:8070", own, "the gateway is http://192.0.2.7:8070/ until interrupted (Ctrl-C)"},
		{"[::]:8070", own, "the gateway is http://192.0.2.7:8070/ and http://[2001:db8::7]:8070/ until interrupted (Ctrl-C)"},
		{"192.0.2.7:8070", own, "the gateway is http://192.0.2.7:8070/ until interrupted (Ctrl-C)"},
		{"127.0.0.1:8070", own, "the gateway is http://127.0.0.1:8070/ until interrupted (Ctrl-C)"},
		{"0.0.0.0:8070", own[:2], "the gateway is http://127.0.0.1:8070/ until interrupted (Ctrl-C)"},
	} {
		got := announcement(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tt.at)), slices.Clone(tt.own))
		if got[0] != tt.want {
			t.Errorf("%s: %q, want %q", tt.at, got[0], tt.want)
		}
	}
}
