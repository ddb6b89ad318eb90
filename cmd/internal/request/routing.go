package request

import (
	"math"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
)

// routing are the flags of allowed servers and referrals, proxies and gateways.
type routing struct {
	MaxRedirs   int
	noFollow    bool
	followTo    []string
	allowX      bool
	gateway     []string
	proxy       string
	noProxy     flags.Optional
	directUDP   bool
	deny, allow flags.Prefixes
	DenyPrivate bool
	allowPort   flags.Ports
	rules       flags.Rules
}

func (f *routing) add(fs *pflag.FlagSet) {
	flags.NumberVar(fs, &f.MaxRedirs, "max-redirs", 10, 0, math.MaxInt, "follow at most `N` referrals, of any kind")
	fs.BoolVar(&f.noFollow, "no-follow", false, "do not follow referrals; print the referral itself")
	fs.Var((*flags.Words)(&f.followTo), "follow-to", "also follow referrals to the schemes in `LIST`")
	fs.BoolVar(&f.allowX, "allow-x", false, "also follow referrals to x- schemes")
	fs.Var((*flags.List)(&f.gateway), "gateway", "use a gateway: `SCHEME=TEMPLATE` with {uri}, {host}, ..., or whois=rdap")
	fs.VarP((*flags.NonEmpty)(&f.proxy), "proxy", "x", "connect through `PROXY` (http, https, socks5)")
	fs.Var(&f.noProxy, "noproxy", "connect without a proxy to the hosts in `LIST`, instead of those in no_proxy")
	fs.BoolVar(&f.directUDP, "direct-udp", false, "send datagrams (snmp, prospero) directly, not through the proxy")
	fs.Var(&f.deny, "deny", "never contact addresses in `CIDR`")
	fs.BoolVar(&f.DenyPrivate, "deny-private", false, "contact public addresses only")
	fs.Var(&f.allow, "allow", "contact addresses in `CIDR` despite --deny and --deny-private")
	fs.Var(&f.allowPort, "allow-port", "contact port `N`, although it belongs to another service")
	fs.Var(&f.rules, "rule", "allow or deny by scheme=, host=, net= and port=; the first match decides")
}

// clientPolicy returns the Client's policy.
func (f *routing) clientPolicy() fetch.Policy {
	redirs := f.MaxRedirs
	if redirs == 0 {
		redirs = -1
	}
	return fetch.Policy{Rules: f.rules, Deny: f.deny, Allow: f.allow, DenyPrivate: f.DenyPrivate, AllowPorts: f.allowPort, MaxReferrals: redirs,
		NoFollow: f.noFollow, FollowTo: f.followTo, AllowX: f.allowX}
}
