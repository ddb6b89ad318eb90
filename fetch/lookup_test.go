package fetch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"example.org/deref/fetch"
)

// A zone is a name server in this process, at the other end of pipes.
type zone struct {
	mu      sync.Mutex
	addrs   map[string][]string // by name
	ttl     uint32
	delay   time.Duration
	queries map[string]int // for addresses of version 4
	fails   bool
}

func (z *zone) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go z.serve(theirs)
		return ours, nil
	}}
}

// serve answers one query over a stream (RFC 1035 section 4.2.2).
func (z *zone) serve(c net.Conn) {
	defer c.Close()
	var size [2]byte
	io.ReadFull(c, size[:])
	b := make([]byte, binary.BigEndian.Uint16(size[:]))
	io.ReadFull(c, b)
	var m dnsmessage.Message
	if m.Unpack(b) != nil {
		return
	}
	time.Sleep(z.delay)
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	z.mu.Lock()
	defer z.mu.Unlock()
	name := strings.TrimSuffix(q.Name.String(), ".")
	if q.Type == dnsmessage.TypeA {
		if z.queries == nil {
			z.queries = map[string]int{}
		}
		z.queries[name]++
	}
	all, ok := z.addrs[name]
	if !ok || z.fails {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, s := range all {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: z.ttl}
		switch a := netip.MustParseAddr(s); {
		case z.fails:
		case a.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	if out, err := m.Pack(); err == nil {
		c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...))
	}
}

func (z *zone) asked(name string) int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.queries[name]
}

func (z *zone) client(t *testing.T) *fetch.Client {
	c := fetch.New(scheme("probe", opened()))
	t.Cleanup(func() { c.Close() })
	fetch.SetResolver(c, z.resolver())
	return c
}

// TestNamesAreLookedUpOnce: requests of one host at the same time share a query, and those after it use its result for a minute.
func TestNamesAreLookedUpOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{addrs: map[string][]string{"h.example": {"192.0.2.1"}}, ttl: 5, delay: time.Second}
		c := z.client(t)
		began := time.Now()
		ask := func(host string) {
			got, err := fetch.Addresses(t.Context(), c, host)
			if err != nil || len(got) != 1 || got[0].String() != "192.0.2.1" {
				t.Errorf("got %v, %v, want 192.0.2.1", got, err)
			}
		}
		for range 3 {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { ask("H.example") })
			}
			all.Wait()
		}
		if n, took := z.asked("h.example"), time.Since(began); n != 1 || took > 1500*time.Millisecond {
			t.Errorf("%d queries in %v, want 1 in a second", n, took)
		}
		time.Sleep(50 * time.Second)
		ask("h.example")
		if n := z.asked("h.example"); n != 1 {
			t.Errorf("%d queries within a minute, want 1", n)
		}
		time.Sleep(20 * time.Second)
		ask("h.example")
		if n := z.asked("h.example"); n != 2 {
			t.Errorf("%d queries after a minute, want 2", n)
		}
	})
}

// An error is not remembered.
func TestFailedQueryIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{addrs: map[string][]string{"h.example": {"192.0.2.1"}}, ttl: 60, fails: true}
		c := z.client(t)
		if _, err := fetch.Addresses(t.Context(), c, "h.example"); err == nil {
			t.Error("no error from a server that fails")
		}
		z.fails = false
		if got, err := fetch.Addresses(t.Context(), c, "h.example"); err != nil || len(got) != 1 {
			t.Errorf("%v, %v after a failure", got, err)
		}
	})
}

// TestOneCallerLeavesAQuery: a canceled request does not end a query that other requests share. Canceling the last one does.
func TestOneCallerLeavesAQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{addrs: map[string][]string{"h.example": {"192.0.2.1"}}, ttl: 60, delay: time.Second}
		c := z.client(t)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := fetch.Addresses(ctx, c, "h.example")
			left <- err
		}()
		synctest.Wait()
		stayed := make(chan error, 1)
		go func() {
			_, err := fetch.Addresses(t.Context(), c, "h.example")
			stayed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; err == nil {
			t.Error("the canceled caller got no error")
		}
		if err := <-stayed; err != nil {
			t.Errorf("the other caller: %v", err)
		}
	})
}

func TestNamesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{addrs: map[string][]string{}, ttl: 60}
		for i := range 1100 {
			z.addrs[fmt.Sprintf("h%d.example", i)] = []string{"192.0.2.1"}
		}
		c := z.client(t)
		for i := range 1100 {
			if _, err := fetch.Addresses(t.Context(), c, fmt.Sprintf("h%d.example", i)); err != nil {
				t.Fatal(err)
			}
		}
		if n := fetch.Names(c); n > 1024 {
			t.Errorf("%d names are remembered, want at most 1024", n)
		}
		for i := range 250 {
			z.addrs["many.example"] = append(z.addrs["many.example"], fmt.Sprintf("192.0.2.%d", i))
		}
		if list, err := fetch.Addresses(t.Context(), c, "many.example"); len(list) != 64 || err != nil {
			t.Errorf("got %d addresses, %v; want 64, since each takes a descriptor", len(list), err)
		}
	})
}

// TestDeadAddresses: every address gets a try within the time for connecting, and the one that worked is tried first from then on.
func TestDeadAddresses(t *testing.T) {
	for _, test := range []struct {
		name        string
		addrs       []string
		dead        func(addr string) bool
		first, then time.Duration // the time limit for connecting
	}{
		{"one alive", []string{"192.0.2.1"}, func(string) bool { return false }, 0, 0},
		{"a dead one of the other family", []string{"192.0.2.1", "2001:db8::1"}, func(a string) bool { return strings.Contains(a, "2001") },
			300 * time.Millisecond, 0},
		{"a dead one before", []string{"192.0.2.1", "192.0.2.2"}, func(a string) bool { return a != "192.0.2.2" }, time.Second, 0},
		{"nine of ten dead", []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6", "192.0.2.7", "192.0.2.8",
			"192.0.2.9",
			"192.0.2.10"}, func(a string) bool { return a != "192.0.2.7" }, 8 * time.Second, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := &zone{addrs: map[string][]string{"h.example": test.addrs}, ttl: 60}
				c := z.client(t)
				var tried []string
				var mu sync.Mutex
				connect := func() time.Duration {
					began := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
					defer cancel()
					nc, err := fetch.DialName(ctx, c, "h.example", func(ctx context.Context, target string) (net.Conn, error) {
						host, _, _ := net.SplitHostPort(target)
						mu.Lock()
						tried = append(tried, host)
						mu.Unlock()
						if test.dead(host) {
							<-ctx.Done()
							return nil, ctx.Err()
						}
						ours, theirs := net.Pipe()
						theirs.Close()
						return ours, nil
					})
					if err != nil {
						t.Fatalf("after %v: %v", time.Since(began), err)
					}
					nc.Close()
					return time.Since(began)
				}
				if took := connect(); took > test.first {
					t.Errorf("the first connection took %v, want at most %v", took, test.first)
				}
				tried = nil
				if took := connect(); took > test.then || len(tried) != 1 || test.dead(tried[0]) {
					t.Errorf("the second connection took %v by %q, want %v by the one that worked", took, tried, test.then)
				}
				time.Sleep(2 * time.Minute) // it is looked up again
				tried = nil
				if connect(); len(tried) != 1 || test.dead(tried[0]) {
					t.Errorf("after another lookup %q were tried, want the one that worked", tried)
				}
			})
		})
	}
}

// TestAllAddressesFail: the error is that of the first address, and the host is looked up again for the next connection.
func TestAllAddressesFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{addrs: map[string][]string{"h.example": {"192.0.2.1", "192.0.2.2"}}, ttl: 60}
		c := z.client(t)
		for n := 1; n <= 2; n++ {
			var first string
			_, err := fetch.DialName(t.Context(), c, "h.example", func(_ context.Context, target string) (net.Conn, error) {
				if first == "" {
					first = target
				}
				return nil, errors.New(target)
			})
			if err == nil || err.Error() != first {
				t.Errorf("%v, want %s", err, first)
			}
			if got := z.asked("h.example"); got != n {
				t.Errorf("%d queries after %d failures", got, n)
			}
		}
	})
}

// TestPromise4GuardChecksRememberedAddresses: a name whose address is remembered is checked against the policy whenever it is dialed. A
// name that has another address later is checked again.
func TestPromise4GuardChecksRememberedAddresses(t *testing.T) {
	s := listen(t, "")
	z := &zone{addrs: map[string][]string{"h.example": {"127.0.0.1"}}, ttl: 60}
	c := z.client(t)
	c.Policy = fetch.Policy{DenyPrivate: true, AllowServers: []netip.AddrPort{netip.MustParseAddrPort(s.addr)}}
	if _, err := get(t, c, "probe://h.example:"+s.port()+"/", nil); err != nil {
		t.Fatal(err)
	}
	other := listen(t, "") // the same remembered address, and another port, which is not allowed
	_, err := get(t, c, "probe://h.example:"+other.port()+"/", nil)
	wantKind(t, err, fetch.ErrDenied)
	if other.clients() != 0 || z.asked("h.example") != 1 {
		t.Errorf("%d connections, want 0; %d queries, want 1", other.clients(), z.asked("h.example"))
	}
	if got, err := fetch.Addresses(t.Context(), c, "h.example"); err != nil ||
		!slices.Equal(got, []netip.Addr{netip.MustParseAddr("127.0.0.1")}) {
		t.Errorf("got %v, %v, want 127.0.0.1", got, err)
	}
}
