package fetch_test

import (
	"context"
	"crypto/sha256"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/policy"
)

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPromise4ReachIsGuarded: addresses that the Policy names for hosts are checked like those of names, and so are the servers of ConnectTo.
func TestPromise4ReachIsGuarded(t *testing.T) {
	t.Parallel()
	s := listen(t, "")
	port := atoi(t, s.port())
	here := []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	resolve := []policy.Resolve{{Host: "any.example", Port: port, Addrs: here}}
	to := []policy.ConnectTo{{Host: "any.example", ToHost: "127.0.0.1", ToPort: port}}
	v6 := []policy.Resolve{{Host: "any.example", Addrs: append([]netip.Addr{netip.MustParseAddr("2001:db8::1")}, here...)}}
	for _, x := range []struct {
		name, host string
		policy     fetch.Policy
		want       fetch.Kind // "" connects
	}{
		{"resolve", "ANY.example", fetch.Policy{Resolve: resolve}, ""},
		{"every host", "any.example", fetch.Policy{Resolve: []policy.Resolve{{Host: "*", Addrs: here}}}, ""},
		{"another port", "any.example", fetch.Policy{Resolve: []policy.Resolve{{Host: "any.example", Port: 1, Addrs: here}}}, fetch.ErrDNS},
		{"a denied address", "any.example", fetch.Policy{Resolve: resolve, Deny: prefixes("127.0.0.0/8")}, fetch.ErrDenied},
		{"a private address", "any.example", fetch.Policy{Resolve: resolve, DenyPrivate: true}, fetch.ErrDenied},
		{"a rule for its network", "any.example", fetch.Policy{Resolve: resolve, Rules: []policy.Rule{{Deny: true, Networks: prefixes("127.0.0.0/8")}}}, fetch.ErrDenied},
		{"connect to", "any.example", fetch.Policy{ConnectTo: to}, ""},
		{"connect to a denied address", "any.example", fetch.Policy{ConnectTo: to, Deny: prefixes("127.0.0.0/8")}, fetch.ErrDenied},
		{"a rule for the URI's host", "any.example", fetch.Policy{ConnectTo: to, Rules: []policy.Rule{{Deny: true, Hosts: []string{"any.example"}}}}, fetch.ErrDenied},
		{"a rule for the other host", "any.example", fetch.Policy{ConnectTo: to, Rules: []policy.Rule{{Deny: true, Hosts: []string{"127.0.0.1"}}}}, fetch.ErrDenied},
		{"connect to a port of another service", "any.example", fetch.Policy{ConnectTo: []policy.ConnectTo{{ToHost: "127.0.0.1", ToPort: 25}}}, fetch.ErrRefusedPort},
		{"a host that is not one", "any.example", fetch.Policy{ConnectTo: []policy.ConnectTo{{ToHost: "-x"}}}, fetch.ErrRefusedURL},
		{"IPv4", "any.example", fetch.Policy{Resolve: v6, Family: policy.IPv4}, ""},
		{"IPv4 by an address", "127.0.0.1", fetch.Policy{Family: policy.IPv4}, ""},
		{"only IPv6", "any.example", fetch.Policy{Resolve: resolve, Family: policy.IPv6}, fetch.ErrDNS},
		{"only IPv6 by an address", "127.0.0.1", fetch.Policy{Family: policy.IPv6}, fetch.ErrDNS},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := fetch.New(scheme("probe", opened()))
			defer c.Close()
			c.Policy = x.policy
			fetch.SetResolver(c, names("nobody.example"))
			_, err := get(t, c, "probe://"+x.host+":"+s.port()+"/", nil)
			if fetch.KindOf(err) != x.want {
				t.Errorf("got %v (%s), want %q", err, fetch.KindOf(err), x.want)
			}
		})
	}
}

// TestPromise4UnixSocket: a Unix socket replaces the host. Rules about hosts apply to it, and rules about addresses refuse it.
func TestPromise4UnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "d") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	for _, x := range []struct {
		name   string
		policy fetch.Policy
		want   fetch.Kind
	}{
		{"any", fetch.Policy{}, ""},
		{"deny list", fetch.Policy{Deny: prefixes("10.0.0.0/8")}, fetch.ErrDenied},
		{"private", fetch.Policy{DenyPrivate: true}, fetch.ErrDenied},
		{"host", fetch.Policy{Rules: []policy.Rule{{Deny: true, Hosts: []string{"any.example"}}}}, fetch.ErrDenied},
		{"network", fetch.Policy{Rules: []policy.Rule{{Deny: true, Networks: prefixes("10.0.0.0/8")}}}, fetch.ErrDenied},
		{"allowed by name", fetch.Policy{DenyPrivate: true, Rules: []policy.Rule{{Hosts: []string{"any.example"}}}}, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := fetch.New(scheme("probe", opened()))
			defer c.Close()
			c.Policy = x.policy
			c.Policy.UnixSocket = path
			_, err := get(t, c, "probe://any.example:4711/", nil)
			if fetch.KindOf(err) != x.want {
				t.Errorf("got %v, want %q", err, x.want)
			}
		})
	}
}

// TestPinnedKeys: a server's key must be one of the pinned ones, also if its certificate is not verified.
func TestPinnedKeys(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pin := sha256.Sum256(s.Certificate().RawSubjectPublicKeyInfo)
	for name, x := range map[string]struct {
		pins [][sha256.Size]byte
		want fetch.Kind
	}{"none": {nil, ""}, "its": {[][sha256.Size]byte{{}, pin}, ""}, "another": {[][sha256.Size]byte{{1}}, fetch.ErrTLS}} {
		t.Run(name, func(t *testing.T) {
			c := fetch.New(scheme("probe", asking(&fetch.DialOptions{TLS: true})))
			defer c.Close()
			c.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig
			c.Policy.PinnedKeys = x.pins
			_, err := get(t, c, "probe://"+strings.TrimPrefix(s.URL, "https://")+"/", nil)
			if got := fetch.KindOf(err); (got == fetch.ErrTLS) != (x.want == fetch.ErrTLS) {
				t.Errorf("got %v, want %q", err, x.want)
			}
		})
	}
}

// Allowing a server allows only its port, and no other port of its address, whether a URI, a reply or a datagram names that. A data
// connection of a connection to the server is allowed, since only the server knows its port.
func TestPromise4AllowedServers(t *testing.T) {
	server, other := listen(t, ""), listen(t, "")
	c := fetch.New(scheme("probe", opened()), scheme("beside", probe{run: func(ctx context.Context, p *fetch.Plan,
		env *fetch.Env) (*fetch.Document, error) {
		near, err := env.Dial(ctx, "tcp", p.Addr, nil)
		if err != nil {
			return nil, err
		}
		_, err = env.Dial(ctx, "tcp", "192.0.2.1:"+other.port(), &fetch.DialOptions{Near: near})
		return fetch.NewDocument(nil), err
	}}), scheme("elsewhere", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		if _, err := env.Dial(ctx, "tcp", p.Addr, nil); err != nil {
			return nil, err
		}
		_, err := env.Dial(ctx, "tcp", "127.0.0.1:"+other.port(), nil)
		return fetch.NewDocument(nil), err
	}}), scheme("packets", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		sock, err := env.Packets(ctx, p.Addr)
		if err != nil {
			return nil, err
		}
		return fetch.NewDocument(nil), sock.Send([]byte("x"), 9)
	}}))
	defer c.Close()
	c.Policy.DenyPrivate = true
	c.Policy.AllowServers = []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:" + server.port())}
	for _, tt := range []struct {
		uri  string
		want fetch.Kind
	}{
		{"probe://127.0.0.1:" + server.port() + "/", ""},
		{"probe://localhost:" + server.port() + "/", ""},
		{"probe://[::ffff:127.0.0.1]:" + server.port() + "/", ""},
		{"probe://127.0.0.1:" + other.port() + "/", fetch.ErrDenied},
		{"probe://localhost:" + other.port() + "/", fetch.ErrDenied},
		{"probe://127.0.0.2:" + server.port() + "/", fetch.ErrDenied},
		{"probe://[::1]:" + server.port() + "/", fetch.ErrDenied},
		{"elsewhere://127.0.0.1:" + server.port() + "/", fetch.ErrDenied},
		{"packets://127.0.0.1:" + other.port() + "/", fetch.ErrDenied},
		{"packets://127.0.0.1:" + server.port() + "/", fetch.ErrDenied}, // the socket is allowed, the other port is not
	} {
		_, err := get(t, c, tt.uri, nil)
		if kind := fetch.KindOf(err); kind != tt.want || tt.want == "" && err != nil {
			t.Errorf("%s: %v, want the kind %q", tt.uri, err, tt.want)
		}
	}
	if other.clients() != 0 {
		t.Error("another port was contacted")
	}
	if _, err := get(t, c, "beside://127.0.0.1:"+server.port()+"/", nil); err != nil {
		t.Errorf("a data connection: %v", err)
	}
}
