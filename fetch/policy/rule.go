package policy

import (
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

// A Target is what a fetch.Policy decides about: a server, or with Addr a socket.
type Target struct {
	Scheme  string // canonical name
	Host    string // of the URI, or an address that a server has named; "" if nothing is contacted
	Port    int    // 0 if nothing is contacted
	Network string // "tcp", "udp", or "" if nothing is contacted
	// Addr is the address after name resolution. It is the zero Addr before, for requests without a network, and for a
	// fetch.Client's Dialer that resolves the name itself.
	Addr netip.Addr
}

// Name returns what is contacted.
func (t Target) Name() string {
	switch {
	case t.Addr.IsValid() && t.Host != t.Addr.String():
		return fmt.Sprintf("%s (%s)", t.Host, t.Addr)
	case t.Host != "":
		return t.Host
	}
	return t.Scheme
}

// At returns t for the host and port of addr.
func (t Target) At(addr string) Target {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return t
	}
	t.Host, t.Addr = strings.TrimSuffix(host, "."), netip.Addr{}
	t.Port, _ = strconv.Atoi(port)
	switch a, err := netip.ParseAddr(t.Host); {
	case err == nil:
		t.Addr = a
	case IsLocalhost(t.Host):
		t.Addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return t
}

// An UncheckedError is the cause of a fetch.ErrDenied: there are rules about addresses, and the Client's Dialer or Datagrams resolves the
// name. fetch.Policy.TrustDialer permits that, and fetch.CheckDial lets a Dialer check addresses.
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
		p, err := ParseNetwork(item)
		if err != nil {
			return err
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

// ParseNetwork parses a network in CIDR notation, or a single address.
func ParseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q is not a network in CIDR notation", text)
	}
	return p, nil
}

// String returns the rule as ParseRule reads it.
func (r Rule) String() string {
	words := []string{"allow"}
	if r.Deny {
		words[0] = "deny"
	}
	words = appendList(words, "scheme", r.Schemes)
	words = appendList(words, "host", r.Hosts)
	words = appendList(words, "net", r.Networks)
	words = appendList(words, "port", r.Ports)
	return strings.Join(words, " ")
}

// appendList appends a kind and its list, unless that is empty.
func appendList[T any](words []string, kind string, list []T) []string {
	if len(list) == 0 {
		return words
	}
	var items []string
	for _, item := range list {
		items = append(items, fmt.Sprint(item))
	}
	return append(words, kind+"="+strings.Join(items, ","))
}

// String returns "21" or "8000-8100".
func (p PortRange) String() string {
	if p.last() == p.First {
		return strconv.Itoa(p.First)
	}
	return strconv.Itoa(p.First) + "-" + strconv.Itoa(p.Last)
}

func (p PortRange) last() int { return max(p.First, p.Last) }

// A Matching is whether a rule matches a target.
type Matching int

const (
	No Matching = iota
	Yes
	Unknown // until the address is known
)

// Match reports whether r matches t.
func (r *Rule) Match(t Target) Matching {
	switch {
	case len(r.Schemes) > 0 && !slices.ContainsFunc(r.Schemes, func(s string) bool { return strings.EqualFold(s, t.Scheme) }),
		len(r.Hosts) > 0 && !slices.ContainsFunc(r.Hosts, func(h string) bool { return matchHost(h, t.Host) }),
		len(r.Ports) > 0 && !slices.ContainsFunc(r.Ports, func(p PortRange) bool { return p.First <= t.Port && t.Port <= p.last() }):
		return No
	case len(r.Networks) == 0:
		return Yes
	case t.Network == "":
		return No
	case !t.Addr.IsValid():
		return Unknown
	}
	a := t.Addr.Unmap().WithZone("")
	if Within(r.Networks, a) || r.Deny && Reaches(r.Networks, a) {
		return Yes
	}
	return No
}

// matchHost reports whether a pattern matches a host. Addresses are compared as such. One without a zone matches all zones: those are names that
// this machine chooses, and the URI names one of them.
func matchHost(pattern, host string) bool {
	pattern, host = strings.ToLower(strings.TrimSuffix(pattern, ".")), strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(strings.Trim(pattern, "[]")); err == nil {
		b, err := netip.ParseAddr(host)
		b = b.Unmap()
		return err == nil && (a.Unmap() == b || a.Unmap() == b.WithZone(""))
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
