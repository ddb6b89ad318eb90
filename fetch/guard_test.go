package fetch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func prefixes(list ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, s := range list {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

// names is a resolver that knows one name.
func names(name string, addrs ...string) *net.Resolver {
	return (&zone{addrs: map[string][]string{name: addrs}}).resolver()
}

// The address is checked after resolution, however it is written.
func TestPromise4GuardChecksAddresses(t *testing.T) {
	for _, x := range []struct {
		name   string
		host   string
		policy fetch.Policy
		want   fetch.Kind // "" connects
	}{
		{"no policy", "127.0.0.1", fetch.Policy{}, ""},
		{"denied", "127.0.0.1", fetch.Policy{Deny: prefixes("127.0.0.0/8")}, fetch.ErrDenied},
		{"another network denied", "127.0.0.1", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, ""},
		{"allowed within denied", "127.0.0.1", fetch.Policy{Deny: prefixes("0.0.0.0/0"), Allow: prefixes("127.0.0.1/32")}, ""},
		{"private", "127.0.0.1", fetch.Policy{DenyPrivate: true}, fetch.ErrDenied},
		{"private, allowed", "127.0.0.1", fetch.Policy{DenyPrivate: true, Allow: prefixes("127.0.0.0/8")}, ""},
		{"IPv4-mapped", "[::ffff:127.0.0.1]", fetch.Policy{Deny: prefixes("127.0.0.0/8")}, fetch.ErrDenied},
		{"IPv4-mapped, private", "[::ffff:7f00:1]", fetch.Policy{DenyPrivate: true}, fetch.ErrDenied},
		{"denied as IPv4-mapped", "127.0.0.1", fetch.Policy{Deny: prefixes("::ffff:127.0.0.0/104")}, fetch.ErrDenied},
		{"unspecified is this host", "0.0.0.0", fetch.Policy{DenyPrivate: true}, fetch.ErrDenied},
		{"a name for a denied address", "evil.example", fetch.Policy{Deny: prefixes("127.0.0.0/8")}, fetch.ErrDenied},
		{"a name for a private address", "evil.example", fetch.Policy{DenyPrivate: true}, fetch.ErrDenied},
		{"a name for an allowed address", "evil.example", fetch.Policy{DenyPrivate: true, Allow: prefixes("127.0.0.1/32")}, ""},
		{"a name without address", "nobody.example", fetch.Policy{}, fetch.ErrDNS},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := listen(t, "")
			c := fetch.New(scheme("probe", opened()))
			defer c.Close()
			c.Policy = x.policy
			fetch.SetResolver(c, names("evil.example", "127.0.0.1"))
			_, err := get(t, c, "probe://"+x.host+":"+s.port()+"/", nil)
			switch {
			case x.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case x.want != "":
				wantKind(t, err, x.want)
				if s.clients() != 0 {
					t.Error("it was contacted all the same")
				}
				if strings.Contains(err.Error(), "dial tcp") {
					t.Errorf("package net's words: %v", err)
				}
			}
		})
	}
}

// If a name has a denied and an allowed address, the allowed one is contacted.
func TestPromise4GuardTriesTheOtherAddress(t *testing.T) {
	s := listen(t, "")
	c := fetch.New(scheme("probe", opened()))
	defer c.Close()
	c.Policy.Deny = prefixes("127.9.9.9/32")
	fetch.SetResolver(c, names("two.example", "127.9.9.9", "127.0.0.1"))
	if _, err := get(t, c, "probe://two.example:"+s.port()+"/", nil); err != nil {
		t.Error(err)
	}
}

// A custom Dialer gets names unresolved, but literal addresses are checked before it is called.
func TestPromise4GuardBeforeDialer(t *testing.T) {
	c := fetch.New(scheme("probe", opened()))
	c.Policy.DenyPrivate = true
	c.Dialer = func(_ context.Context, _, addr string) (net.Conn, error) {
		t.Errorf("%s was dialled", addr)
		return nil, io.EOF
	}
	for _, host := range []string{"10.1.2.3", "[::1]", "[::ffff:10.0.0.1]", "[fe80::1%25eth0]", "100.64.0.1", "169.254.169.254", "[fd00::1]",
		"[2002:7f00:1::]"} {
		_, err := get(t, c, "probe://"+host+"/", nil)
		wantKind(t, err, fetch.ErrDenied)
	}
}

func TestPromise4GuardOfDatagrams(t *testing.T) {
	h := probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		if _, err := env.Packets(ctx, p.Addr); err != nil {
			return nil, err
		}
		return fetch.NewDocument(nil), nil
	}}
	for _, x := range []struct {
		host string
		want fetch.Kind
	}{
		{"127.0.0.1", fetch.ErrDenied}, {"[::ffff:127.0.0.1]", fetch.ErrDenied}, {"evil.example", fetch.ErrDenied},
		{"nobody.example", fetch.ErrDNS},
	} {
		c := fetch.New(scheme("probe", h))
		c.Policy.DenyPrivate = true
		fetch.SetResolver(c, names("evil.example", "127.0.0.1"))
		_, err := get(t, c, "probe://"+x.host+":7000/", nil)
		wantKind(t, err, x.want)
	}
}

// Ports of other services are refused before any lookup, both in the URI and in addresses that a handler dials.
func TestPromise4Ports(t *testing.T) {
	for _, x := range []struct {
		port  string
		allow []int
		want  fetch.Kind
	}{
		{"25", nil, fetch.ErrRefusedPort}, {"22", nil, fetch.ErrRefusedPort}, {"6379", nil, fetch.ErrRefusedPort},
		{"11211", nil, fetch.ErrRefusedPort},
		{"25", []int{25}, ""}, {"7000", nil, ""}, {"8080", nil, ""}, {"0", nil, fetch.ErrRefusedURL}, {"65536", nil, fetch.ErrRefusedURL},
	} {
		for _, inPlan := range []bool{true, false} {
			addr := "192.0.2.1:" + x.port
			h := opened()
			h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
				p := &fetch.Plan{Network: "tcp", Addr: "192.0.2.1:7000", Shape: fetch.ShapeDocument}
				if inPlan {
					p.Addr = addr
				}
				return p, nil
			}
			h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
				if _, err := env.Dial(ctx, "tcp", addr, nil); err != nil {
					return nil, err
				}
				return fetch.NewDocument(nil), nil
			}
			c := fetch.New(scheme("probe", h))
			c.Policy.AllowPorts = x.allow
			dialled := false
			c.Dialer = func(context.Context, string, string) (net.Conn, error) {
				dialled = true
				a, b := net.Pipe()
				b.Close()
				return a, nil
			}
			_, err := get(t, c, "probe://h/", nil)
			if x.want != "" {
				wantKind(t, err, x.want)
			} else if err != nil {
				t.Errorf("port %s: %v", x.port, err)
			}
			if dialled != (x.want == "") {
				t.Errorf("port %s: dialled is %v", x.port, dialled)
			}
			c.Close()
		}
	}
}

func TestPromise3HostsThatAreNone(t *testing.T) {
	c := fetch.New(scheme("probe", probe{plan: func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Network: "tcp", Addr: net.JoinHostPort(u.Path().Decode(), "7000")}, nil
	}}))
	for _, host := range []string{"", "-oProxyCommand=x", "a%20b", "a%0D%0Ab", "a%00", "a%2Fb", "a%40b", "%E2%80%8B", "a%E2%80%8B", "%FF", ".",
		"..", ".a", "a..b", "a.."} {
		_, err := c.Plan(uri.MustParse("probe:"+host), nil)
		wantKind(t, err, fetch.ErrRefusedURL)
	}
	for _, host := range []string{"a", "a.", "a.b", "_a-b", "xn--ls8h", "127.0.0.1", "::1", "fe80::1%25a", "fe80::1%25%C3%A9"} {
		if _, err := c.Plan(uri.MustParse("probe:"+host), nil); err != nil {
			t.Errorf("%q: %v, want a plan", host, err)
		}
	}
}

// TestIgnorableHosts uses hosts with only ignorable code points in one label or all. The mapping of UTS 46 makes those labels empty.
func TestIgnorableHosts(t *testing.T) {
	looked := false
	c := fetch.New(scheme("probe", probe{plan: func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Network: "tcp", Addr: net.JoinHostPort(u.Hostname(), "7000")}, nil
	}}))
	fetch.SetResolver(c, &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		looked = true
		return nil, net.ErrClosed
	}})
	for _, r := range []rune{0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x202e, 0x2028, 0x2060,
		0x2066, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xe0020, 0xe0100, 0xa0, 0x3000, 0x3002} {
		for _, form := range []string{"%s", "%s%[1]s", "%s.example", "a.%s.example", "%s."} {
			host := fmt.Sprintf(form, string(r))
			d, err := c.Get(t.Context(), uri.MustParse("probe://"+url.PathEscape(host)+"/"), nil)
			if k := fetch.KindOf(err); k != fetch.ErrRefusedURL || d != nil {
				t.Errorf("%+q (%+q): %v (%s), want %s", host, uri.MustParse("probe://"+url.PathEscape(host)+"/").Hostname(), err, k,
					fetch.ErrRefusedURL)
			}
		}
	}
	if looked {
		t.Error("a name was looked up")
	}
}

// A name that resolves to another address each time (DNS rebinding) cannot reach a denied address, because the address that is checked is
// the one that is dialed. The same holds if both families are tried at once (RFC 8305).
func TestPromise4GuardAgainstRebinding(t *testing.T) {
	s := listen(t, "")
	var asked atomic.Int64
	turn := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		addrs := [][]string{{"127.0.0.2"}, {"127.0.0.1"}, {"::ffff:127.0.0.1", "127.0.0.1"}, {"::1", "127.0.0.1"}}[asked.Add(1)%4]
		go (&zone{addrs: map[string][]string{"evil.example": addrs}}).serve(theirs)
		return ours, nil
	}}
	for range 12 {
		c := fetch.New(scheme("probe", opened()))
		c.Policy.Deny = prefixes("127.0.0.1/32", "::1/128")
		c.Timeouts.Connect = time.Second
		fetch.SetResolver(c, turn)
		if _, err := get(t, c, "probe://evil.example:"+s.port()+"/", nil); err == nil {
			t.Error("something answers")
		}
		c.Close()
	}
	if s.clients() != 0 || asked.Load() < 12 {
		t.Errorf("%d connections after %d questions", s.clients(), asked.Load())
	}
}

// Spellings of addresses that only old resolvers accept are refused if there is a policy, since a custom Dialer might resolve them (promise
// 4).
func TestPromise4OldSpellings(t *testing.T) {
	c := fetch.New(scheme("probe", opened()))
	c.Policy.DenyPrivate = true
	c.Dialer = func(_ context.Context, _, addr string) (net.Conn, error) {
		t.Errorf("%s was dialled", addr)
		return nil, io.EOF
	}
	for _, host := range []string{"2130706433", "0x7f000001", "0X7F.1", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "127.0.0.1.",
		"localhost", "a.LOCALHOST.", "0"} {
		_, err := get(t, c, "probe://"+host+"/", nil)
		wantKind(t, err, fetch.ErrDenied)
	}
}

// RFC 6761 section 6.3: they are never looked up.
func TestNamesOfThisMachine(t *testing.T) {
	port := listen(t, "").port()
	for _, host := range []string{"localhost", "LOCALHOST.", "a.b.localhost", "x.localhost."} {
		c := fetch.New(scheme("a", opened()))
		if _, err := get(t, c, "a://"+host+":"+port+"/x", nil); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		c.Policy.Deny = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		_, err := get(t, c, "a://"+host+":"+port+"/x", nil)
		wantKind(t, err, fetch.ErrDenied)
		c.Close()
	}
}
