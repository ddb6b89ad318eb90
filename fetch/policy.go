package fetch

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/policy"
)

// Policy restricts what a Client contacts and follows. The zero value is the documented default: any address, no port that belongs to
// another service, ten referrals, and referrals only to the schemes that Scheme.MayReferTo names. It is the same for all that uses the
// Client: the command, a gateway, an http.Client by package httpbridge.
//
// Each socket is decided about by the first of these that does: the first of Rules that matches, Decide, and the other fields.
type Policy struct {
	// Rules are tried in order, for each request while it is planned, and for each socket with its address after name resolution. One that
	// allows a target outranks Deny and DenyPrivate, and, if it lists the port, the refusal of ports of other services. To allow single
	// targets only, end with policy.Rule{Deny: true}.
	Rules []policy.Rule
	// Decide is called for what no Rule matches, directly before each socket and for each request without a network, possibly several times
	// and concurrently. An error denies the target, as an ErrDenied if it has no Kind. With nil the other fields decide.
	Decide func(ctx context.Context, t policy.Target) error
	// TrustDialer lets the Client's Dialer and Datagrams connect to hosts whose names they resolve themselves, as a proxy does, although
	// there are rules about addresses. Else that is ErrDenied, with a *policy.UncheckedError as its cause.
	TrustDialer bool

	Deny, Allow  []netip.Prefix   // checked after name resolution, for every socket; Allow outranks Deny
	DenyPrivate  bool             // all addresses that are not public by IANA's special-purpose registries
	AllowServers []netip.AddrPort // allowed although Deny or DenyPrivate matches: these ports, and data connections of connections to them
	AllowPorts   []int            // ports of other services that are contacted nevertheless, by any scheme; see also Rules
	MaxReferrals int              // 0 means 10, negative none
	NoFollow     bool             // the first Document is returned with its Referrals, without an error
	FollowTo     []string         // schemes to which referrals are followed, besides the default ones
	AllowX       bool             // referrals to x- schemes are followed
	NeverTo      []string         // schemes to which no referral is followed, whatever the other fields are

	// How servers are reached. The rules above apply to the resulting sockets.
	Family     policy.Family       // only addresses of this family are contacted; "" is both
	Resolve    []policy.Resolve    // addresses of hosts; the first entry with the host's name counts
	ConnectTo  []policy.ConnectTo  // other servers to connect to, not used with a Dialer's connections; the first entry that matches counts
	UnixSocket string              // the path of a Unix socket to which all connections go; no datagrams are sent then
	PinnedKeys [][sha256.Size]byte // SHA-256 of SubjectPublicKeyInfo: a server with TLS must have one of these keys, whatever its certificate is
}

const defaultReferrals = 10

func (p *Policy) maxReferrals() int {
	switch {
	case p.MaxReferrals == 0:
		return defaultReferrals
	case p.MaxReferrals < 0:
		return 0
	}
	return p.MaxReferrals
}

// checkAddr returns an error for an address that must not be contacted. It is called after name resolution, so a name cannot hide an address,
// and for every socket, so a reply cannot either. A denied IPv4 address is denied in every IPv6 address that embeds it. An allowed one allows
// only itself: how a translator maps an address is not known here.
func (p *Policy) checkAddr(to netip.AddrPort) error {
	a := to.Addr().Unmap().WithZone("")
	if policy.Within(p.Allow, a) || slices.Contains(p.AllowServers, netip.AddrPortFrom(a, to.Port())) {
		return nil
	}
	if policy.Reaches(p.Deny, a) {
		return Errorf(ErrDenied, "the address %s is on the deny list", a)
	}
	if p.DenyPrivate && !policy.IsPublic(a) {
		return &Error{Kind: ErrDenied, Text: fmt.Sprintf("the address %s is not public", a), Hint: hint.Allow}
	}
	return nil
}

// checkLiteral is checkAddr for hosts that a proxy looks up: only literal addresses can be checked then.
func (p *Policy) checkLiteral(host string, port int) error {
	host = strings.TrimSuffix(host, ".")
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil:
		return p.checkAddr(netip.AddrPortFrom(a, uint16(port)))
	case policy.IsLocalhost(host):
		return p.checkAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port)))
	case endsInNumber(host) && (p.DenyPrivate || len(p.Deny) > 0):
		return Errorf(ErrDenied, "the address %q cannot be checked", host)
	}
	return nil
}

// endsInNumber reports whether old resolvers treat host as an address: 127.1, 0x7f000001, 017700000001 (inet_aton; URL Standard section 3.5).
func endsInNumber(host string) bool {
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	hex, isHex := strings.CutPrefix(last, "0x")
	return last != "" && strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == ""
}

// checkPort returns an error for a port that a URI of s must not reach, since another service there could accept our commands as its own.
func (p *Policy) checkPort(port int, s *Scheme) error {
	if port < 1 || port > 65535 {
		return Errorf(ErrRefusedURL, "port %d does not exist", port)
	}
	if !otherService(port) || port == s.Rules.DefaultPort || slices.Contains(s.Ports, port) || slices.Contains(p.AllowPorts, port) {
		return nil
	}
	return &Error{Kind: ErrRefusedPort, Text: fmt.Sprintf("port %d belongs to another service", port), Hint: fmt.Sprintf("%s %d", hint.AllowPorts, port)}
}

// otherService lists the "bad ports" of the Fetch standard (browsers refuse them), and the ports of services that accept commands from any
// client.
func otherService(port int) bool {
	switch port {
	case 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
		119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
		989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080:
		return true
	case 2375, 3306, 5432, 6379, 9200, 11211, 27017:
		return true
	}
	return false
}

// checkReferral returns an error if a referral from a Document of the scheme from is not followed.
func (p *Policy) checkReferral(from *Scheme, r Referral, reg Registry) error {
	name := r.URI.Scheme()
	to, known := reg.Lookup(name)
	if !r.Own {
		if err := to.checkUserOnly(r.URI); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(p.NeverTo, func(s string) bool { return strings.EqualFold(s, name) }) {
		return notFollowed(from, reg.Redact(r.URI), "which must not be followed", "")
	}
	if r.Own || p.followsTo(name) {
		return nil
	}
	switch {
	case strings.HasPrefix(name, "x-"):
		if p.AllowX {
			return nil
		}
		return notFollowed(from, reg.Redact(r.URI), byDefault, hint.AllowX)
	case !known:
		return notFollowed(from, reg.Redact(r.URI), "for which there is no handler", "")
	case slices.Contains(from.MayReferTo, name), slices.Contains(from.MayReferTo, "*") && to.Does.Retrieves && !to.Local && !to.Does.Session:
		return nil
	}
	return notFollowed(from, reg.Redact(r.URI), byDefault, hint.FollowTo+" "+name)
}

// followsTo reports whether the user lets referrals be followed to the scheme, whoever made them.
func (p *Policy) followsTo(scheme string) bool {
	return slices.ContainsFunc(p.FollowTo, func(s string) bool { return strings.EqualFold(s, scheme) })
}

// byDefault is why most referrals are not followed.
const byDefault = "which is not followed by default"

func notFollowed(from *Scheme, to, why, hint string) error {
	return &Error{Kind: ErrRedirect, NotFollowed: true, Text: fmt.Sprintf("%s refers to %s, %s", from.Name(), to, why), Hint: hint}
}
