package fetch

import (
	"context"
	"net/netip"

	"example.org/deref/fetch/policy"
)

// Match returns the first of p.Rules that matches t, which decides about it. ok is false if there is none: then Decide and the other fields
// of p decide. It is also false if a rule about networks comes first that may match once t has an Addr.
func (p *Policy) Match(t policy.Target) (r policy.Rule, ok bool) {
	first, m := p.firstRule(t)
	if m != policy.Yes {
		return policy.Rule{}, false
	}
	return *first, true
}

// firstRule returns the first rule that matches t, or may once t has an Addr. It returns policy.No if there is none.
func (p *Policy) firstRule(t policy.Target) (*policy.Rule, policy.Matching) {
	for i := range p.Rules {
		if m := p.Rules[i].Match(t); m != policy.No {
			return &p.Rules[i], m
		}
	}
	return nil, policy.No
}

// judge decides about t by the rules, and by Decide if no rule does. decided is set if t is allowed whatever the other fields are.
func (p *Policy) judge(ctx context.Context, t policy.Target) (decided bool, err error) {
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

// checksAddresses reports whether the policy has something to check about the address of t.
func (p *Policy) checksAddresses(t policy.Target) bool {
	switch _, m := p.firstRule(t); m {
	case policy.Yes:
		return false // decided without an address
	case policy.Unknown:
		return true
	}
	return p.DenyPrivate || len(p.Deny) > 0
}

// targetOf returns what p is about: the server that its URI names, or only the scheme.
func targetOf(p *Plan, s *Scheme) policy.Target {
	t := policy.Target{Scheme: p.URI.Scheme(), Host: p.URI.Hostname()}
	if p.Network != "tcp" && p.Network != "udp" {
		return t
	}
	t.Network = p.Network
	addr, err := p.URI.HostPort(s.Rules.DefaultPort)
	if err != nil { // the server is not in the URI
		addr = p.Addr
	}
	return t.At(addr)
}

// checkPlanned decides about a request before anything is contacted. About a server only the rules decide now.
func (p *Policy) checkPlanned(t policy.Target) error {
	if t.Network == "" {
		_, err := p.judge(context.Background(), t)
		return err
	}
	return p.denied(t)
}

// denied returns an error if a rule denies t, whatever its address is.
func (p *Policy) denied(t policy.Target) error {
	if r, ok := p.Match(t); ok && r.Deny {
		return deniedBy(r, t)
	}
	return nil
}

func deniedBy(r policy.Rule, t policy.Target) error {
	return Errorf(ErrDenied, "%s is denied by the rule %q", t.Name(), r.String())
}

// mayAllowPort reports whether a rule allows port for t by its number, or may once the address is known.
func (p *Policy) mayAllowPort(t policy.Target, port int) bool {
	t.Port = port
	for i := range p.Rules {
		r := &p.Rules[i]
		m := r.Match(t)
		if m != policy.No && !r.Deny && len(r.Ports) > 0 {
			return true
		}
		if m == policy.Yes {
			return false
		}
	}
	return false
}

// checkSocket decides about a socket to t.Addr for a request of s, and to port if that is another one than t's (a data connection).
func (p *Policy) checkSocket(ctx context.Context, t policy.Target, port int, s *Scheme) error {
	decided, err := p.judge(ctx, t)
	if decided || err != nil {
		return err
	}
	if p.mayAllowPort(policy.Target{Scheme: t.Scheme, Host: t.Host, Network: t.Network}, t.Port) { // it has only been assumed so far
		if err := p.checkPort(t.Port, s); err != nil {
			return err
		}
	}
	return p.checkAddr(netip.AddrPortFrom(t.Addr, uint16(port)))
}
