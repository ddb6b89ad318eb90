package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A Rule allows or denies the targets that it matches. A target matches if it matches one of each kind that the Rule lists; a kind that it
// does not list matches every target, so that Rule{Deny: true} denies everything. ParseRule reads one from text.
type Rule struct {
	Deny    bool     // else it allows
	Schemes []string // names of schemes
	// Hosts are patterns for the host of the URI, without regard to case and a dot at the end: a name in A-labels or an address, in which *
	// stands for any bytes. "*.example.org" matches all names below example.org, but not example.org.
	Hosts    []string
	Networks []netip.Prefix // of the address after name resolution. To deny an IPv4 network denies all IPv6 addresses that embed one of it
	Ports    []PortRange    // a data connection has the port of its control connection
}

// A PortRange is the ports from First to Last; a Last of 0 is First.
type PortRange struct{ First, Last int }

// A Target is what a Policy decides about: a server, or with Addr a socket.
type Target struct {
	Scheme  string // canonical name
	Host    string // of the URI, or an address that a server has named; "" if nothing is contacted
	Port    int    // 0 if nothing is contacted
	Network string // "tcp", "udp", or "" if nothing is contacted
	// Addr is the address after name resolution. It is the zero Addr before, for requests without a network, and for a Dialer that resolves
	// the name itself.
	Addr netip.Addr
}

// An UncheckedError is the cause of an ErrDenied: the Policy has rules about addresses, and the Client's Dialer or Datagrams resolves the
// name. Policy.TrustDialer permits that, and CheckDial lets a Dialer check addresses.
type UncheckedError struct {
	Host string
	Port int
}

// Error names the host.
func (e *UncheckedError) Error() string {
	return fmt.Sprintf("the address of %s cannot be checked, because the Dialer resolves the name", e.Host)
}

// ParseRule parses "allow" or "deny" followed by conditions, each a kind and a list separated by commas:
//
//	deny host=*.internal,metadata.example
//	allow scheme=ftp,ftps host=*.example.org port=21,990,8000-8100
//	deny net=10.0.0.0/8,::1
//
// The kinds are scheme, host, net and port.
func ParseRule(text string) (Rule, error) {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != "allow" && words[0] != "deny" {
		return Rule{}, fmt.Errorf("a rule begins with allow or deny")
	}
	r := Rule{Deny: words[0] == "deny"}
	for _, w := range words[1:] {
		kind, list, ok := strings.Cut(w, "=")
		if !ok || list == "" {
			return Rule{}, fmt.Errorf("%q is not scheme=, host=, net= or port= and a list", w)
		}
		for item := range strings.SplitSeq(list, ",") {
			if err := r.add(kind, item); err != nil {
				return Rule{}, err
			}
		}
	}
	return r, nil
}

// add adds one condition.
func (r *Rule) add(kind, item string) error {
	switch kind {
	case "scheme":
		r.Schemes = append(r.Schemes, strings.ToLower(item))
	case "host":
		if strings.Trim(item, "*.") == "" && item != "*" {
			return fmt.Errorf("%q is not a pattern of hosts", item)
		}
		r.Hosts = append(r.Hosts, item)
	case "net":
		p, err := netip.ParsePrefix(item)
		if a, aerr := netip.ParseAddr(item); err != nil && aerr == nil {
			p, err = netip.PrefixFrom(a.WithZone(""), a.BitLen()), nil
		}
		if err != nil {
			return fmt.Errorf("%q is not a network in CIDR notation", item)
		}
		r.Networks = append(r.Networks, p)
	case "port":
		first, last, isRange := strings.Cut(item, "-")
		a, err := strconv.Atoi(first)
		b := a
		if isRange && err == nil {
			b, err = strconv.Atoi(last)
		}
		if err != nil || a < 1 || b < a || b > 65535 {
			return fmt.Errorf("%q is not a port or a range of ports", item)
		}
		r.Ports = append(r.Ports, PortRange{a, b})
	default:
		return fmt.Errorf("%q is not scheme, host, net or port", kind)
	}
	return nil
}

// String returns the rule as ParseRule reads it.
func (r Rule) String() string {
	words := []string{"allow"}
	if r.Deny {
		words[0] = "deny"
	}
	list := func(kind string, n int, item func(i int) string) {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		if n > 0 {
			words = append(words, kind+"="+strings.Join(items, ","))
		}
	}
	list("scheme", len(r.Schemes), func(i int) string { return r.Schemes[i] })
	list("host", len(r.Hosts), func(i int) string { return r.Hosts[i] })
	list("net", len(r.Networks), func(i int) string { return r.Networks[i].String() })
	list("port", len(r.Ports), func(i int) string { return r.Ports[i].String() })
	return strings.Join(words, " ")
}

// String returns "21" or "8000-8100".
func (p PortRange) String() string {
	if p.last() == p.First {
		return strconv.Itoa(p.First)
	}
	return strconv.Itoa(p.First) + "-" + strconv.Itoa(p.Last)
}

func (p PortRange) last() int { return max(p.First, p.Last) }

// Match returns the first of p.Rules that matches t, which decides about it. ok is false if there is none: then Decide and the other fields
// of p decide. It is also false if a rule about networks comes first that may match once t has an Addr.
func (p *Policy) Match(t Target) (r Rule, ok bool) {
	for _, r := range p.Rules {
		switch r.match(t) {
		case matches:
			return r, true
		case unknown:
			return Rule{}, false
		}
	}
	return Rule{}, false
}

// A matching is whether a rule matches a target.
type matching int

const (
	matchesNot matching = iota
	matches
	unknown // until the address is known
)

func (r *Rule) match(t Target) matching {
	switch {
	case len(r.Schemes) > 0 && !slices.ContainsFunc(r.Schemes, func(s string) bool { return strings.EqualFold(s, t.Scheme) }),
		len(r.Hosts) > 0 && !slices.ContainsFunc(r.Hosts, func(h string) bool { return matchHost(h, t.Host) }),
		len(r.Ports) > 0 && !slices.ContainsFunc(r.Ports, func(p PortRange) bool { return p.First <= t.Port && t.Port <= p.last() }):
		return matchesNot
	case len(r.Networks) == 0:
		return matches
	case t.Network == "":
		return matchesNot
	case !t.Addr.IsValid():
		return unknown
	}
	a := t.Addr.Unmap().WithZone("")
	if within(r.Networks, a) || r.Deny && slices.ContainsFunc(embeddedIn(a), func(v4 netip.Addr) bool { return within(r.Networks, v4) }) {
		return matches
	}
	return matchesNot
}

// matchHost reports whether a pattern matches a host. Addresses are compared as such.
func matchHost(pattern, host string) bool {
	pattern, host = strings.ToLower(strings.TrimSuffix(pattern, ".")), strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(strings.Trim(pattern, "[]")); err == nil {
		b, err := netip.ParseAddr(host)
		return err == nil && a.Unmap() == b.Unmap()
	}
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == host
	}
	rest, ok := strings.CutPrefix(host, parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		if !ok {
			return false
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && strings.HasSuffix(rest, parts[len(parts)-1]) && host != ""
}

// judge decides about t by the rules, and by Decide if no rule does. decided is set if t is allowed whatever the other fields are.
func (p *Policy) judge(ctx context.Context, t Target) (decided bool, err error) {
	r, ok := p.Match(t)
	switch {
	case ok && r.Deny:
		return false, deniedBy(r, t)
	case ok:
		return true, nil
	case p.Decide == nil:
		return false, nil
	}
	if err := p.Decide(ctx, t); err != nil {
		if KindOf(err) == "" {
			err = Errorf(ErrDenied, "%w", err)
		}
		return false, err
	}
	return false, nil
}

// name returns what is contacted.
func (t Target) name() string {
	switch {
	case t.Addr.IsValid() && t.Host != t.Addr.String():
		return fmt.Sprintf("%s (%s)", t.Host, t.Addr)
	case t.Host != "":
		return t.Host
	}
	return t.Scheme
}

// checksAddresses reports whether the policy has something to check about the address of t.
func (p *Policy) checksAddresses(t Target) bool {
	for i := range p.Rules {
		switch m := p.Rules[i].match(t); m {
		case matches:
			return false // decided without an address
		case unknown:
			return true
		}
	}
	return p.DenyPrivate || len(p.Deny) > 0
}

// targetOf returns what p is about: the server that its URI names, or only the scheme.
func targetOf(p *Plan, s *Scheme) Target {
	t := Target{Scheme: p.URI.Scheme(), Host: p.URI.Hostname()}
	if p.Network != "tcp" && p.Network != "udp" {
		return t
	}
	t.Network = p.Network
	addr, err := p.URI.HostPort(s.Rules.DefaultPort)
	if err != nil { // the server is not in the URI
		addr = p.Addr
	}
	return t.at(addr)
}

// at returns t for the host and port of addr.
func (t Target) at(addr string) Target {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return t
	}
	t.Host, t.Addr = strings.TrimSuffix(host, "."), netip.Addr{}
	t.Port, _ = strconv.Atoi(port)
	switch a, err := netip.ParseAddr(t.Host); {
	case err == nil:
		t.Addr = a
	case isLocalhost(t.Host):
		t.Addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return t
}

// checkPlanned decides about a request before anything is contacted. About a server only the rules decide now.
func (p *Policy) checkPlanned(t Target) error {
	if t.Network == "" {
		_, err := p.judge(context.Background(), t)
		return err
	}
	if r, ok := p.Match(t); ok && r.Deny {
		return deniedBy(r, t)
	}
	return nil
}

func deniedBy(r Rule, t Target) error {
	return Errorf(ErrDenied, "%s is denied by the rule %q", t.name(), r.String())
}

// mayAllowPort reports whether a rule allows port for t by its number, or may once the address is known.
func (p *Policy) mayAllowPort(t Target, port int) bool {
	t.Port = port
	for i := range p.Rules {
		r := &p.Rules[i]
		m := r.match(t)
		if m != matchesNot && !r.Deny && len(r.Ports) > 0 {
			return true
		}
		if m == matches {
			return false
		}
	}
	return false
}

// checkSocket decides about a socket to t.Addr, and to port if that is another one than t's (a data connection). own are the well-known
// ports of the scheme.
func (p *Policy) checkSocket(ctx context.Context, t Target, port int, own []int) error {
	decided, err := p.judge(ctx, t)
	if decided || err != nil {
		return err
	}
	if p.mayAllowPort(Target{Scheme: t.Scheme, Host: t.Host, Network: t.Network}, t.Port) { // it has only been assumed so far
		if err := p.checkPort(t.Port, own...); err != nil {
			return err
		}
	}
	return p.checkAddr(netip.AddrPortFrom(t.Addr, uint16(port)))
}
