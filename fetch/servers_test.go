package fetch_test

import (
	"context"
	"io"
	"net/netip"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

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
		return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), err
	}}), scheme("elsewhere", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		if _, err := env.Dial(ctx, "tcp", p.Addr, nil); err != nil {
			return nil, err
		}
		_, err := env.Dial(ctx, "tcp", "127.0.0.1:"+other.port(), nil)
		return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), err
	}}), scheme("packets", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		sock, err := env.Packets(ctx, p.Addr)
		if err != nil {
			return nil, err
		}
		return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), sock.Send([]byte("x"), 9)
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
