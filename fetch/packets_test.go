package fetch_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// datagrams is a handler that sends a datagram and returns the response.
func datagrams(wait time.Duration) probe {
	h := giving("")
	h.plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		addr, err := u.HostPort(7000)
		return &fetch.Plan{Network: "udp", Addr: addr}, err
	}
	h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		s, err := env.Packets(ctx, p.Addr)
		if err != nil {
			return nil, err
		}
		if err := s.Send([]byte("ping"), 0); err != nil {
			return nil, err
		}
		b := make([]byte, 100)
		n, _, err := s.Receive(b, time.Now().Add(wait))
		return fetch.NewDocument(io.NopCloser(strings.NewReader(string(b[:n])))), err
	}
	return h
}

// Only datagrams from the queried host are received, but from any of its ports.
func TestPromise4PacketsOfOthersAreDropped(t *testing.T) {
	server := udp(t, "127.0.0.1:0")
	other, sibling := udp(t, "127.0.0.2:0"), udp(t, "127.0.0.1:0")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, from, err := server.ReadFrom(make([]byte, 100))
		if err != nil {
			return
		}
		other.WriteTo([]byte("forged"), from)
		sibling.WriteTo([]byte("pong"), from)
	}()
	body, err := get(t, fetch.New(scheme("a", datagrams(2*time.Second))), "a://"+server.LocalAddr().String()+"/", nil)
	if body != "pong" || err != nil {
		t.Errorf("got %q, %v, want pong", body, err)
	}
	server.Close()
	<-done
}

func udp(t *testing.T, addr string) net.PacketConn {
	t.Helper()
	c, err := net.ListenPacket("udp4", addr)
	if err != nil {
		t.Skip("this machine has no ", addr, ": ", err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestPacketsByScript(t *testing.T) {
	c := fetch.New(scheme("a", datagrams(time.Second)))
	play(t, c, "C0: ping\nS0: pong")
	var tr traced
	body, err := get(t, c, "a://nowhere.example/", &fetch.Options{Trace: tr.take})
	if body != "pong" || err != nil || tr.text.String() != "C ping\nS pong\n" {
		t.Errorf("got %q, %v and the trace %q, want pong and both datagrams", body, err, tr.text.String())
	}
}

// If the first addresses of a host do not respond, the next one is tried soon, and only that one is used from then on.
func TestPacketsTryAllAddresses(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for addresses that do not answer")
	}
	t.Parallel()
	server := udp(t, "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(server.LocalAddr().String())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := make([]byte, 100); ; {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			server.WriteTo(append([]byte("pong to "), b[:n]...), from)
		}
	}()
	z := &zone{addrs: map[string][]string{"host.example": {"127.0.0.7", "127.0.0.8", "127.0.0.1"}}}
	c := fetch.New(scheme("a", datagrams(20*time.Second)))
	fetch.SetResolver(c, z.resolver())
	for round, trials := range []int{2, 0} { // the address that worked comes first
		var tr traced
		body, err := get(t, c, "a://host.example:"+port+"/", &fetch.Options{Trace: tr.take})
		if got := strings.Count(tr.text.String(), "no answer yet: trying"); body != "pong to ping" || err != nil || got != trials {
			t.Errorf("round %d: got %q, %v after %d trials, want pong to ping after %d:\n%s", round, body, err, got, trials, &tr.text)
		}
	}
	server.Close()
	<-done
}
