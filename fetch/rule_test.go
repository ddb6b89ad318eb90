package fetch_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/policy"
	"example.org/deref/uri"
)

func rules(t *testing.T, list ...string) (all []policy.Rule) {
	t.Helper()
	for _, s := range list {
		r, err := policy.ParseRule(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.String(); got != s {
			t.Errorf("got %q, want %q", got, s)
		}
		all = append(all, r)
	}
	return all
}

func TestParseRuleRefuses(t *testing.T) {
	for _, s := range []string{"", "permit", "deny host", "deny host=", "deny host=*.", "deny port=0", "deny port=9-8", "deny port=65536", "deny net=x", "deny colour=red",
		"deny host=a,,b net=1.2.3.4/33"} {
		if r, err := policy.ParseRule(s); err == nil {
			t.Errorf("%q: got %+v, want an error", s, r)
		}
	}
}

// The rules in front of a server on 127.0.0.1, whose port is @ in the rules.
func TestPromise4Rules(t *testing.T) {
	s := listen(t, "")
	for _, tt := range []struct {
		host  string
		rules []string
		p     fetch.Policy
		want  fetch.Kind
	}{
		{"127.0.0.1", nil, fetch.Policy{}, ""},
		{"127.0.0.1", []string{"deny"}, fetch.Policy{}, fetch.ErrDenied},
		{"127.0.0.1", []string{"deny host=127.0.0.1"}, fetch.Policy{}, fetch.ErrDenied},
		{"[::ffff:127.0.0.1]", []string{"deny host=127.0.0.1"}, fetch.Policy{}, fetch.ErrDenied},
		{"[fe80::1%25eth0]", []string{"deny host=fe80::1"}, fetch.Policy{}, fetch.ErrDenied},
		{"[fe80::1%25eth0]", []string{"deny host=fe80::1%eth0"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"deny host=evil.example"}, fetch.Policy{}, fetch.ErrDenied},
		{"EVIL.example.", []string{"deny host=evil.example"}, fetch.Policy{}, fetch.ErrDenied},
		{"a.evil.example", []string{"deny host=*.evil.example"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"deny host=*.evil.example"}, fetch.Policy{}, ""},
		{"a.evil.example", []string{"deny host=a*ev*ple"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"deny net=127.0.0.0/8"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"deny net=10.0.0.0/8"}, fetch.Policy{}, ""},
		{"evil.example", []string{"deny port=@"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"deny port=1-2"}, fetch.Policy{}, ""},
		{"evil.example", []string{"deny scheme=PROBE"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"deny scheme=other"}, fetch.Policy{}, ""},
		{"evil.example", []string{"deny scheme=other host=evil.example"}, fetch.Policy{}, ""},
		{"evil.example", []string{"allow host=evil.example", "deny"}, fetch.Policy{}, ""},
		{"evil.example", []string{"deny", "allow host=evil.example"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"allow net=127.0.0.0/8 port=@", "deny"}, fetch.Policy{}, ""},
		{"evil.example", []string{"allow net=10.0.0.0/8", "deny"}, fetch.Policy{}, fetch.ErrDenied},
		{"evil.example", []string{"allow host=evil.example"}, fetch.Policy{DenyPrivate: true}, ""},
		{"evil.example", []string{"allow host=other.example"}, fetch.Policy{DenyPrivate: true}, fetch.ErrDenied},
		{"evil.example", []string{"allow net=127.0.0.1/32"}, fetch.Policy{Deny: prefixes("127.0.0.0/8")}, ""},
		{"evil.example", []string{"deny net=127.0.0.1/32"}, fetch.Policy{Allow: prefixes("127.0.0.0/8")}, fetch.ErrDenied},
	} {
		c := fetch.New(scheme("probe", opened()))
		fetch.SetResolver(c, names(strings.TrimSuffix(strings.ToLower(tt.host), "."), "127.0.0.1"))
		c.Policy = tt.p
		for _, text := range tt.rules {
			r, err := policy.ParseRule(strings.ReplaceAll(text, "@", s.port()))
			if err != nil {
				t.Fatal(err)
			}
			c.Policy.Rules = append(c.Policy.Rules, r)
		}
		var trace traced
		_, err := get(t, c, "probe://"+tt.host+":"+s.port()+"/", &fetch.Options{Trace: trace.take})
		if kind := fetch.KindOf(err); kind != tt.want || tt.want == "" && err != nil {
			t.Errorf("%s, %q: got %v, want the kind %q", tt.host, tt.rules, err, tt.want)
		}
		if tt.want != "" && slices.ContainsFunc(trace.all, func(e fetch.Event) bool { return e.Mark == fetch.MarkOpen }) {
			t.Errorf("%s, %q: got a connection, want none", tt.host, tt.rules)
		}
		c.Close()
	}
}

// A rule that lists a port of another service allows it, if it matches; one that does not list it does not.
func TestPromise4RulesOfPorts(t *testing.T) {
	for _, tt := range []struct {
		rules []string
		want  fetch.Kind
	}{
		{nil, fetch.ErrRefusedPort},
		{[]string{"allow"}, fetch.ErrRefusedPort},
		{[]string{"allow host=h.example"}, fetch.ErrRefusedPort},
		{[]string{"allow host=other.example port=25"}, fetch.ErrRefusedPort},
		{[]string{"allow host=h.example port=25"}, ""},
		{[]string{"allow port=20-30"}, ""},
		{[]string{"allow net=192.0.2.0/24 port=25"}, ""},
		{[]string{"allow net=10.0.0.0/8 port=25"}, fetch.ErrRefusedPort}, // found when the address is known
		{[]string{"deny port=25"}, fetch.ErrDenied},
	} {
		c := fetch.New(scheme("probe", opened()))
		c.Policy.Rules = rules(t, tt.rules...)
		c.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
			if err := fetch.CheckDial(ctx, netip.MustParseAddrPort("192.0.2.1:25")); err != nil {
				return nil, err
			}
			a, b := net.Pipe()
			b.Close()
			return a, nil
		}
		if _, err := get(t, c, "probe://h.example:25/", nil); fetch.KindOf(err) != tt.want {
			t.Errorf("%q: got %v, want the kind %q", tt.rules, err, tt.want)
		}
	}
}

// The data connection of FTP and others has the port of its control connection, since only the server knows its own.
func TestPromise4RulesOfDataConnections(t *testing.T) {
	server, data := listen(t, ""), listen(t, "")
	c := fetch.New(scheme("near", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		near, err := env.Dial(ctx, "tcp", p.Addr, nil)
		if err != nil {
			return nil, err
		}
		_, err = env.Dial(ctx, "tcp", "127.0.0.1:"+data.port(), &fetch.DialOptions{Near: near})
		return fetch.NewDocument(nil), err
	}}), scheme("far", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		_, err := env.Dial(ctx, "tcp", "127.0.0.1:"+data.port(), nil)
		return fetch.NewDocument(nil), err
	}}))
	defer c.Close()
	c.Policy.Rules = rules(t, "allow port="+server.port(), "deny")
	if _, err := get(t, c, "near://127.0.0.1:"+server.port()+"/", nil); err != nil {
		t.Errorf("a data connection: got %v, want none", err)
	}
	_, err := get(t, c, "far://127.0.0.1:"+server.port()+"/", nil)
	wantKind(t, err, fetch.ErrDenied)
}

// Rules hold for requests without a network, referrals and datagrams, too.
func TestPromise4RulesOfAllRequests(t *testing.T) {
	from := scheme("from", leading(false, "local:x"))
	from.MayReferTo = []string{"local"}
	c := fetch.New(scheme("local", giving("x")), from, scheme("datagram", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		_, err := env.Packets(ctx, "127.0.0.1:7000")
		return fetch.NewDocument(nil), err
	}}))
	c.Policy.Rules = rules(t, "deny scheme=local", "deny net=127.0.0.0/8")
	for _, u := range []string{"local:x", "from:x", "datagram://h/"} {
		_, err := get(t, c, u, nil)
		wantKind(t, err, fetch.ErrDenied)
	}
	if _, err := c.Plan(uri.MustParse("local:x"), nil); !errors.Is(err, fetch.ErrDenied) {
		t.Errorf("a plan: got %v, want denied", err)
	}
}

// Decide is called for what no rule matches, with the address of each socket.
func TestPromise4Decide(t *testing.T) {
	s := listen(t, "")
	var asked []policy.Target
	no := errors.New("not on Sundays")
	c := fetch.New(scheme("probe", opened()), scheme("local", giving("x")))
	fetch.SetResolver(c, names("h.example", "127.0.0.1"))
	c.Policy.Rules = rules(t, "allow host=127.0.0.1")
	c.Policy.Decide = func(_ context.Context, t policy.Target) error {
		asked = append(asked, t)
		return no
	}
	if _, err := get(t, c, "probe://127.0.0.1:"+s.port()+"/", nil); err != nil {
		t.Errorf("a rule decides: got %v, want none", err)
	}
	for _, u := range []string{"probe://h.example:" + s.port() + "/", "local:x"} {
		_, err := get(t, c, u, nil)
		if !errors.Is(err, fetch.ErrDenied) || !errors.Is(err, no) {
			t.Errorf("%s: got %v, want denied, with the cause", u, err)
		}
	}
	want := []policy.Target{{Scheme: "probe", Host: "h.example", Port: asked[0].Port, Network: "tcp", Addr: netip.MustParseAddr("127.0.0.1")}, {Scheme: "local"}}
	if !slices.Equal(asked, want) {
		t.Errorf("got the targets %+v, want %+v", asked, want)
	}
}

// Without any rule, Decide is still called for requests that no socket follows: of files, and of programs.
func TestPromise4DecideWithoutRules(t *testing.T) {
	for _, network := range []string{"", "exec"} {
		var asked []policy.Target
		c := fetch.New(fetch.Scheme{Names: []string{"local"}, Plan: func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Network: network, Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
				return fetch.NewDocument(nil), nil
			}}, nil
		}})
		c.Policy.Decide = func(_ context.Context, t policy.Target) error {
			asked = append(asked, t)
			return errors.New("not on Sundays")
		}
		if _, err := c.Plan(uri.MustParse("local:x"), nil); !errors.Is(err, fetch.ErrDenied) {
			t.Errorf("network %q: got %v, want denied", network, err)
		}
		if want := []policy.Target{{Scheme: "local"}}; !slices.Equal(asked, want) {
			t.Errorf("network %q: got the targets %+v, want %+v", network, asked, want)
		}
	}
}

// A Dialer that resolves names itself must check the addresses, or the Policy must trust it. Otherwise the request fails, with the type that
// says why, and nothing is sent.
func TestPromise4DialersThatResolve(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy fetch.Policy
		rules  []string
		dial   func(ctx context.Context) error // before the Dialer connects
		want   fetch.Kind
		typed  bool
	}{
		{"no rule about addresses", fetch.Policy{}, []string{"deny port=1"}, nil, "", false},
		{"private", fetch.Policy{DenyPrivate: true}, nil, nil, fetch.ErrDenied, true},
		{"denied network", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, nil, nil, fetch.ErrDenied, true},
		{"rule", fetch.Policy{}, []string{"deny net=10.0.0.0/8"}, nil, fetch.ErrDenied, true},
		{"rule of another scheme", fetch.Policy{}, []string{"deny scheme=ftp net=10.0.0.0/8"}, nil, "", false},
		{"allowed by name", fetch.Policy{DenyPrivate: true}, []string{"allow host=h.example"}, nil, "", false},
		{"denied by name", fetch.Policy{TrustDialer: true}, []string{"deny host=h.example"}, nil, fetch.ErrDenied, false},
		{"trusted", fetch.Policy{DenyPrivate: true, TrustDialer: true}, nil, nil, "", false},
		{"checked", fetch.Policy{DenyPrivate: true}, nil, checking("192.88.99.1:7000"), "", false},
		{"checked and denied", fetch.Policy{DenyPrivate: true}, nil, checking("10.0.0.1:7000"), fetch.ErrDenied, false},
		{"checked by rules", fetch.Policy{}, []string{"allow net=10.0.0.0/8", "deny"}, checking("10.0.0.1:7000"), "", false},
		{"checked and denied by rules", fetch.Policy{}, []string{"allow net=10.0.0.0/8", "deny"}, checking("11.0.0.1:7000"), fetch.ErrDenied, false},
		{"a proxy", fetch.Policy{DenyPrivate: true}, nil, fetch.CheckDialByName, fetch.ErrDenied, true},
		{"a proxy that is trusted", fetch.Policy{DenyPrivate: true, TrustDialer: true}, nil, fetch.CheckDialByName, "", false},
	} {
		c := fetch.New(scheme("probe", asking(nil)))
		c.Policy = tt.policy
		c.Policy.Rules = rules(t, tt.rules...)
		var sent atomic.Int64
		c.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
			if tt.dial != nil {
				if err := tt.dial(ctx); err != nil {
					return nil, err
				}
			}
			ours, theirs := net.Pipe()
			go func() {
				b, _ := io.ReadAll(io.LimitReader(theirs, 3))
				sent.Add(int64(len(b)))
				theirs.Close()
			}()
			return ours, nil
		}
		_, err := get(t, c, "probe://h.example/", nil)
		_, typed := errors.AsType[*policy.UncheckedError](err)
		if fetch.KindOf(err) != tt.want && (tt.want != "" || fetch.KindOf(err) == fetch.ErrDenied) || typed != tt.typed {
			t.Errorf("%s: got %v, typed %t, want the kind %q, typed %t", tt.name, err, typed, tt.want, tt.typed)
		}
		if n := sent.Load(); tt.want != "" && n > 0 {
			t.Errorf("%s: got %d bytes at the server, want none", tt.name, n)
		}
	}
}

func checking(addr string) func(context.Context) error {
	return func(ctx context.Context) error { return fetch.CheckDial(ctx, netip.MustParseAddrPort(addr)) }
}
