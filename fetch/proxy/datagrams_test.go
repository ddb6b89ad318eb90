package proxy_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/proxy"
	"example.org/deref/uri"
)

// planDatagrams is a handler that sends one datagram.
func planDatagrams(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	addr, err := u.HostPort(7000)
	return &fetch.Plan{URI: u, Network: "udp", Addr: addr, Shape: fetch.ShapeDocument, Run: runDatagrams}, err
}

func runDatagrams(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	sock, err := env.Packets(ctx, p.Addr)
	if err != nil {
		return nil, err
	}
	return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), sock.Send([]byte("x"), 0)
}

// Datagrams are not sent around a proxy unless the host needs no proxy (promise 4).
func TestPromise4NoDatagramsPastTheProxy(t *testing.T) {
	peer, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	p, err := proxy.Parse("socks5://" + loopback.Reserve(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		table proxy.Table
		want  fetch.Kind
	}{
		{"of every scheme", proxy.Table{All: p}, fetch.ErrDenied},
		{"of this scheme", proxy.Table{Schemes: map[string]*proxy.Proxy{"a": p}}, fetch.ErrDenied},
		{"of another scheme", proxy.Table{Schemes: map[string]*proxy.Proxy{"b": p}}, ""},
		{"a host without proxy", proxy.Table{All: p, Bypass: []string{"127.0.0.0/8"}}, ""},
		{"this machine, by the environment", proxy.Table{All: p, Direct: true}, ""},
	} {
		c := fetch.New(fetch.Scheme{Names: []string{"a"}, Does: fetch.Does{Retrieves: true}, Plan: planDatagrams})
		c.Dialer, c.Datagrams = tt.table.Dial, tt.table.Datagrams
		d, err := c.Get(t.Context(), uri.MustParse("a://"+peer.LocalAddr().String()+"/"), nil)
		if d != nil {
			d.Body.Close()
		}
		c.Close()
		if fetch.KindOf(err) != tt.want || tt.want == "" && err != nil {
			t.Errorf("%s: %v, want the kind %q", tt.name, err, tt.want)
		}
	}
}
