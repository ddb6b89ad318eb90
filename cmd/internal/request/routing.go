package request

import (
	"math"
	"net/netip"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/policy"
	"example.org/deref/fetch/refer"
)

// routing are the flags of allowed servers and referrals, proxies and gateways.
type routing struct {
	MaxRedirs   int
	noFollow    bool
	followTo    flags.Words
	allowX      bool
	gateway     []refer.Rule
	proxy       string
	noProxy     *string // nil unless the flag is given, perhaps with an empty list
	deny, allow []netip.Prefix
	DenyPrivate bool
	allowPort   []int
	rules       []policy.Rule
	proto       string
	protoRedir  string
	ipv4, ipv6  bool
	resolve     []policy.Resolve
	connectTo   []policy.ConnectTo
	unixSocket  string
	proxyUser   string
}

func (f *routing) add(fs *pflag.FlagSet) {
	flags.NumberVar(fs, &f.MaxRedirs, "max-redirs", 10, 0, math.MaxInt, "follow at most `N` referrals, of any kind")
	fs.BoolVar(&f.noFollow, "no-follow", false, "do not follow referrals; print the referral itself")
	fs.Var(&f.followTo, "follow-to", "also follow referrals to the schemes in `LIST`")
	fs.BoolVar(&f.allowX, "allow-x", false, "also follow referrals to x- schemes")
	flags.ParsedVar(fs, &f.gateway, "gateway", "use a gateway: `SCHEME=TEMPLATE` with {uri}, {host}, ..., or whois=rdap", refer.Parse)
	flags.TextVar(fs, &f.proxy, "proxy", "x", "connect through `PROXY` (http, https, socks5)")
	fs.Func("noproxy", "connect without a proxy to the hosts in `LIST`, not those in no_proxy", func(v string) error {
		f.noProxy = &v
		return nil
	})
	flags.ParsedListVar(fs, &f.deny, "deny", "never contact addresses in `CIDR`", policy.ParseNetwork)
	fs.BoolVar(&f.DenyPrivate, "deny-private", false, "contact public addresses only")
	flags.ParsedListVar(fs, &f.allow, "allow", "contact addresses in `CIDR` despite --deny and --deny-private", policy.ParseNetwork)
	flags.ParsedListVar(fs, &f.allowPort, "allow-port", "contact port `N`, although it belongs to another service", flags.ParsePort)
	flags.ParsedVar(fs, &f.rules, "rule", "the first `RULE` decides: allow or deny scheme=, host=, net=, port=", policy.ParseRule)
	flags.TextVar(fs, &f.proto, "proto", "", "use only the schemes of `LIST` (=https), or all but some (-ftp)")
	flags.TextVar(fs, &f.protoRedir, "proto-redir", "", "the same for referrals alone: `LIST`")
	fs.BoolVarP(&f.ipv4, "ipv4", "4", false, "connect to IPv4 addresses only")
	fs.BoolVarP(&f.ipv6, "ipv6", "6", false, "connect to IPv6 addresses only")
	flags.ParsedVar(fs, &f.resolve, "resolve", "use this address for a host: `HOST:PORT:ADDRESS`[,ADDRESS]", parseResolve)
	flags.ParsedVar(fs, &f.connectTo, "connect-to", "connect to another server: `HOST:PORT:TO:PORT`", parseConnectTo)
	flags.TextVar(fs, &f.unixSocket, "unix-socket", "", "connect to the Unix socket `FILE` in place of the host")
	flags.Alias(fs, "socks5", "proxy", "socks5h://") // the proxy looks names up in both cases
	flags.Alias(fs, "socks5-hostname", "proxy", "socks5h://")
	flags.TextVar(fs, &f.proxyUser, "proxy-user", "U", "the credentials `USER:PASSWORD` for the proxy")
}

// clientPolicy returns the Client's policy. known are the schemes that --proto chooses from.
func (f *routing) clientPolicy(known fetch.Registry) fetch.Policy {
	redirs := f.MaxRedirs
	if redirs == 0 {
		redirs = -1
	}
	p := fetch.Policy{Rules: f.rules, Deny: f.deny, Allow: f.allow, DenyPrivate: f.DenyPrivate, AllowPorts: f.allowPort, MaxReferrals: redirs,
		NoFollow: f.noFollow, FollowTo: f.followTo, AllowX: f.allowX, UnixSocket: f.unixSocket, Resolve: f.resolve, ConnectTo: f.connectTo}
	switch {
	case f.ipv4:
		p.Family = policy.IPv4
	case f.ipv6:
		p.Family = policy.IPv6
	}
	if f.proto != "" { // before the other rules, which could allow what it excludes
		if denied := exclude(known, f.proto); len(denied) > 0 {
			p.Rules = append([]policy.Rule{{Deny: true, Schemes: denied}}, f.rules...)
		}
	}
	if f.protoRedir != "" {
		p.NeverTo = exclude(known, f.protoRedir)
	}
	return p
}
