package main

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// byLength are the schemes whose protocols send names with a length or in quotes, so that no byte of a name can end a command.
const byLength = " ldap snmp wais prospero imap data file "

// Bytes that end a line, at any place in a URI, are refused before any server is contacted, or are sent with a length. A URI can never
// make the server read an additional line (promise 3).
func TestPromise3EverySchemeRefusesSecondCommands(t *testing.T) {
	t.Parallel()
	const injected = "INJECTED"
	step := 1
	if testing.Short() {
		step = 4
	}
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte, try func(func())) {
		s := u.String()
		var refused atomic.Int64
		t.Cleanup(func() { // after the last attempt
			if refused.Load() == 0 && !strings.Contains(byLength, " "+u.Scheme()+" ") {
				t.Error("got no refused URI, want some")
			}
		})
		for i := len(u.Scheme()) + 1; i <= len(s); i += step {
			for _, end := range []string{"%0D%0A", "%0A", "%0D", "%00"} {
				bad, err := uri.Parse(s[:i] + end + injected + end + s[i:])
				if err != nil {
					refused.Add(1)
					continue
				}
				try(func() {
					c := newClient()
					c.Timeouts = brief()
					m := meddle(c, 1<<62, ends)
					_, _, err := read(t.Context(), c, bad, nil)
					c.Close()
					switch heard := string(m.heard); {
					case m.said.Load() == 0 && fetch.KindOf(err) == fetch.ErrRefusedURL:
						refused.Add(1)
					case strings.Contains(heard, injected) && !strings.Contains(byLength, " "+u.Scheme()+" "):
						for _, eol := range []string{"\r", "\n", "\x00"} {
							if strings.Contains(heard, eol+injected) {
								t.Errorf("%s: the server received %q, want no line that starts with %s", bad, heard, injected)
							}
						}
					}
				})
			}
		}
	})
}

// For every scheme, a Plan with CR, LF or NUL in a command is refused, and no server is contacted. This includes the schemes without a
// test server (promise 3).
func TestPromise3NoPlanHoldsASecondLine(t *testing.T) {
	contacts := new(atomic.Int64)
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		contacts.Add(1)
		return nil, fetch.Errorf(fetch.ErrConnect, "not in this test")
	}
	c.Datagrams = func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
		contacts.Add(1)
		return nil, netip.AddrPort{}, fetch.Errorf(fetch.ErrConnect, "not in this test")
	}
	for _, s := range c.Schemes {
		for _, name := range s.Names {
			for _, rest := range []string{"//h.example/a%0D%0Ab", "//h.example/a%0Ab?c%0Dd", "//u%0D%0Av@h.example/x", "//u:p%0Aq@h.example/x",
				"a%0D%0Ab@h.example", "//h.example/1a%00b",
				"//h%0D%0A.example/x", "//h.example/x;y=%0D%0Az", "//h.example/?a%0D%0Ab"} {
				u, err := uri.Parse(name + ":" + rest)
				if err != nil {
					continue
				}
				p, err := c.Plan(u, &fetch.Options{Search: []string{"x\r\ny"}})
				if err != nil {
					continue
				}
				for _, step := range p.Steps {
					if words := step.Verb + strings.Join(step.Args, ""); strings.ContainsAny(words, "\r\n\x00") {
						t.Errorf("%s: got step %q, want no CR, LF or NUL", u, words)
					}
				}
			}
		}
	}
	if contacts.Load() != 0 {
		t.Errorf("planning contacted %d servers, want 0", contacts.Load())
	}
}
