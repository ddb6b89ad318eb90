package ftp_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

// TestDataAddress checks the host of the data connection if 227 names another than the control connection's.
func TestDataAddress(t *testing.T) {
	for _, tt := range []struct {
		name, own, named, set string
		want                  string
	}{
		{"default", "198.51.100.1", "198.51.100.2", "", "198.51.100.1"},
		{"control", "198.51.100.1", "198.51.100.2", "control", "198.51.100.1"},
		{"same network", "198.51.100.1", "198.51.100.2", "same-network", "198.51.100.2"},
		{"end of the same network", "198.51.100.1", "198.51.100.255", "same-network", "198.51.100.255"},
		{"next network", "198.51.100.1", "198.51.101.1", "same-network", "198.51.100.1"},
		{"private network", "10.0.0.1", "10.0.0.2", "same-network", "10.0.0.2"},
		{"same network, IPv6", "2001:db8::1", "198.51.100.2", "same-network", "2001:db8::1"},
		{"same network, the server has a name", "ftp.example", "198.51.100.2", "same-network", "ftp.example"},
		{"any", "198.51.100.1", "192.0.2.9", "any", "192.0.2.9"},
		{"any, the server has a name", "ftp.example", "192.0.2.9", "any", "192.0.2.9"},
		{"any, both private", "10.0.0.1", "192.168.0.1", "any", "192.168.0.1"},
		{"any, private behind a translation", "198.51.100.1", "10.0.0.2", "any", "198.51.100.1"},
		{"any, our own machine", "198.51.100.1", "127.0.0.1", "any", "198.51.100.1"},
		{"any, link-local", "198.51.100.1", "169.254.169.254", "any", "198.51.100.1"},
		{"any, no address", "198.51.100.1", "0.0.0.0", "any", "198.51.100.1"},
		{"any, broadcast", "198.51.100.1", "255.255.255.255", "any", "198.51.100.1"},
		{"any, multicast", "198.51.100.1", "224.0.0.1", "any", "198.51.100.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, &ftptest.Options{NoEPSV: true, Faults: &ftptest.Faults{PASVHost: netip.MustParseAddr(tt.named)}})
			_, port, _ := net.SplitHostPort(l.srv.Addr)
			var hosts []string
			l.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
				host, p, _ := net.SplitHostPort(addr)
				hosts = append(hosts, host)
				return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", p))
			}
			o := &fetch.Options{}
			if tt.set != "" {
				o.Set = map[string][]string{"ftp.data-address": {tt.set}}
			}
			l.srv.URL = "ftp://" + net.JoinHostPort(tt.own, port)
			if got, err := l.text(t, "/README.txt", o); err != nil || got != site(t, "README.txt") {
				t.Errorf("got %q, %v, want README.txt", got, err)
			}
			if want := []string{tt.own, tt.want}; !slices.Equal(hosts, want) {
				t.Errorf("got connections to %q, want %q", hosts, want)
			}
		})
	}
}

// TestDataAddressHint checks that a failed data connection reports the address that the server has named.
func TestDataAddressHint(t *testing.T) {
	l := newLab(t, &ftptest.Options{NoEPSV: true, Faults: &ftptest.Faults{PASV: "127,0,0,2,0,2"}})
	_, err := l.text(t, "/README.txt", nil)
	e, ok := errors.AsType[*fetch.Error](err)
	const hint = hint.Set + " ftp.data-address=any"
	if !ok || e.Kind != fetch.ErrConnect || !strings.Contains(e.Text, "named 127.0.0.2") || e.Hint != hint {
		t.Errorf("got %#v, want %s that names 127.0.0.2, with the hint %q", err, fetch.ErrConnect, hint)
	}
}

// TestNobodyConnects checks the error in active mode if the server does not connect.
func TestNobodyConnects(t *testing.T) {
	o := &ftptest.Options{Faults: &ftptest.Faults{ActiveFrom: netip.MustParseAddr("127.0.0.2")}}
	inBubble(t, o, func(t *testing.T, l *setting) {
		_, err := l.text(t, "/README.txt", &fetch.Options{Set: map[string][]string{"ftp.active": {"yes"}}})
		if fetch.KindOf(err) != fetch.ErrTimeout || !strings.Contains(err.Error(), "127.0.0.1 did not connect to 127.0.0.1:") {
			t.Errorf("got %v (%s), want %s: 127.0.0.1 did not connect", err, fetch.KindOf(err), fetch.ErrTimeout)
		}
	})
}

// TestPromise4DataAddress checks that the Policy applies to an address that 227 names, even if it allows the control connection's.
func TestPromise4DataAddress(t *testing.T) {
	other := netip.MustParseAddr("127.0.0.2")
	ln, err := net.Listen("tcp", other.String()+":0")
	if err != nil {
		t.Skipf("this machine has one loopback address: %v", err)
	}
	ln.Close()
	set := map[string][]string{"ftp.data-address": {"any"}}
	for _, tt := range []struct {
		name   string
		policy func(p *fetch.Policy, server netip.AddrPort)
		want   fetch.Kind
	}{
		{"none", func(*fetch.Policy, netip.AddrPort) {}, ""},
		{"denied", func(p *fetch.Policy, _ netip.AddrPort) { p.Deny = []netip.Prefix{netip.PrefixFrom(other, 32)} }, fetch.ErrDenied},
		{"private, one server allowed", func(p *fetch.Policy, server netip.AddrPort) {
			p.DenyPrivate, p.AllowServers = true, []netip.AddrPort{server}
		}, fetch.ErrDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, &ftptest.Options{NoEPSV: true, Faults: &ftptest.Faults{PASVHost: other}})
			tt.policy(&l.Policy, netip.MustParseAddrPort(l.srv.Addr))
			d, err := l.Get(t.Context(), uri.MustParse(l.srv.URL+"/README.txt"), &fetch.Options{Set: set})
			if k := fetch.KindOf(err); k != tt.want {
				t.Errorf("got %v (%s), want %q", err, k, tt.want)
			}
			if err == nil {
				d.Body.Close()
			}
		})
	}
}

func TestCorpus(t *testing.T) {
	if n := schemetest.Rows(t, ftp.Schemes(nil)...); n < 20 {
		t.Errorf("got %d rows, want at least 20", n)
	}
}

// switched is a file system that can be replaced.
type switched struct{ atomic.Pointer[fstest.MapFS] }

func (s *switched) Open(name string) (fs.File, error) { return s.Load().Open(name) }

// TestPlanRunsTwice checks that a run does not change the request of the plan: x is a directory first, and then a file.
func TestPlanRunsTwice(t *testing.T) {
	var fsys switched
	srv := ftptest.NewServer(&fsys, nil)
	defer srv.Close()
	s := ftp.Schemes(nil)[0]
	plan, planned := s.Plan, (*fetch.Plan)(nil)
	s.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		if planned == nil {
			p, err := plan(u, o)
			if err != nil {
				return nil, err
			}
			planned = p
		}
		p := *planned
		return &p, nil
	}
	c := fetch.New(s)
	defer c.Close()
	for _, tt := range []struct {
		files fstest.MapFS
		want  string
	}{
		{fstest.MapFS{"x.gif/y": {}}, "text/ftp-dir-listing"},
		{fstest.MapFS{"x.gif": {}}, "image/gif"},
	} {
		fsys.Store(&tt.files)
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+"/x.gif"), &fetch.Options{Op: fetch.Metadata})
		if err != nil {
			t.Fatal(err)
		}
		if d.Type != tt.want {
			t.Errorf("got %s, want %s", d.Type, tt.want)
		}
	}
}
