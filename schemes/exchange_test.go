package schemes_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/schemes/wais/waistest"
)

// An exchange is a dialogue in a protocol without lines. That protocol's own rules parse what the server receives.
type exchange struct {
	conversation
	server func(value string) wire
	want   func(s fetch.Step, p *fetch.Plan, value string) string // the step as the server reports it; "" if nothing is sent for it
	least  int                                                    // requests, with the good value
}

// A wire is a server of one connection, or of one socket of datagrams.
type wire interface {
	Hear(b []byte) (answers [][]byte) // nil means the connection was made; an empty answer ends this direction
	Said() ([]string, error)          // the requests, or why the input is not a sequence of them
}

func exchanges() []exchange {
	set := func(key, value string) map[string]string { return map[string]string{key: value} }
	echo := func(value string) wire { return waistest.NewEcho(value) }
	direct := func(value string) wire { return prosperotest.NewEcho(value, true) }
	listed := func(value string) wire { return prosperotest.NewEcho(value, false) }
	agent := func(value string) wire { return &snmpWire{value: value} }
	directory := func(value string) wire { return &ldapWire{value: value} }
	telnet := func(value string) wire { return &telnetWire{greeting: telnetGreeting(value)} }
	extended := func(value string) wire { return &telnetWire{greeting: extendedGreeting(value)} }
	classic := func(value string) wire { return &telnetWire{greeting: classicGreeting(value)} }
	host := func(value string) wire { return &rloginWire{value: value} }
	return []exchange{
		{conversation{uri: "wais://h.example/{v}?{v}"}, echo, wantWAIS, 1},
		{conversation{uri: "wais://h.example/d?{v}", set: map[string]string{"wais.init": "yes", "wais.also": "{v}"}}, echo, wantWAIS, 2},
		{conversation{uri: "wais://h.example/d?{v}", good: "later", set: set("wais.date", "{v}")}, echo, wantWAIS, 1},
		{conversation{uri: "wais://h.example/{v}"}, echo, wantWAIS, 1},
		{conversation{uri: "wais://h.example/d", search: true}, echo, wantWAIS, 1},
		{conversation{uri: "wais://h.example/{v}/TEXT/{v}"}, echo, wantWAIS, 1},
		{conversation{uri: "wais://h.example/d/{v}/3={v};", good: "TEXT"}, echo, wantWAIS, 1},
		{conversation{uri: "prospero://h.example/{v}"}, direct, wantProspero, 2},
		{conversation{uri: "prospero://h.example/{v};REMOTE={v};ACCESS-METHOD=PROSPERO-CONTENTS"}, direct, wantProspero, 2},
		{conversation{uri: "prospero://h.example/{v};REMOTE={v};OBJECT-VERSION={v}"}, listed, wantProspero, 3},
		{conversation{uri: "prospero://h.example/a%00{v}%00{v}"}, listed, wantProspero, 1},
		{conversation{uri: "snmp://{v}@h.example//1.3.6.1.2.1.1.3.0"}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://h.example//1.3.6.1.2.1.{v}.*"}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://h.example//1.3.6.1.2.1.2.*", login: true, set: set("snmp.version", "1")}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://h.example//1.3.6.1.2.1.2.*", login: true, known: true}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://h.example//(1.3.6.1.2.1.1.3.0,1.3.6.1.2.1.1.5.0)", set: set("snmp.bulk", "{v}")}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://{v}@h.example/{v};8000000001020304/1.3.6.1.2.1.1.3+", set: set("snmp.version", "3")}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://{v}@h.example/{v}/1.3.6.1.2.1.2.*", set: set("snmp.version", "3")}, agent, wantSNMP, 1},
		{conversation{uri: "snmp://h.example/{v}/1.3.6.1.2.1.1.3.0", set: set("snmp.version", "3")}, agent, wantSNMP, 2},
		{conversation{uri: "ldap://h.example/{v}", good: "cn=a"}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o=a?cn?sub?(cn={v})"}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o={v}?x{v}?one"}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o=a??sub", search: true}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o=a", good: "cn=a", login: true}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o=a????bindname=cn={v}", good: "cn=a", login: true, known: true}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o=a?cn?sub", good: "find", set: set("ldap.aliases", "{v}")}, directory, wantLDAP, 3},
		{conversation{uri: "ldap://h.example/o=a?cn?sub", set: set("ldap.page", "{v}")}, directory, wantLDAP, 3},
		{conversation{uri: "x500://h.example/c={v}/cn={v}"}, directory, wantLDAP, 3},
		{conversation{uri: "x500://h.example/?{v},{v},CH"}, directory, wantLDAP, 3},
		{conversation{uri: "telnet://{v}:{v}@h.example/"}, telnet, wantTelnet, 3},
		{conversation{uri: "telnet://h.example/", set: set("telnet.term", "{v}")}, telnet, wantTelnet, 2},
		{conversation{uri: "tn3270://h.example/", set: set("tn3270.lu", "{v}")}, extended, wantTelnet, 3},
		{conversation{uri: "tn3270://{v}:{v}@h.example/", set: set("tn3270.lu", "{v}")}, classic, wantTelnet, 2},
		{conversation{uri: "rlogin://{v}:{v}@h.example/"}, host, wantRlogin, 1},
		{conversation{uri: "rlogin://ann@h.example/", set: map[string]string{"rlogin.local-user": "{v}", "rlogin.term": "{v}"}}, host,
			wantRlogin, 1},
	}
}

// run makes the request against the server in memory, and compares. It returns how many requests the server received.
func (x exchange) run(value string) (requests int, err error) {
	var mu sync.Mutex
	var served []wire
	var still sync.WaitGroup
	begin := func() wire {
		mu.Lock()
		defer mu.Unlock()
		served = append(served, x.server(value))
		return served[len(served)-1]
	}
	announced, plan := x.request(value, func(c *fetch.Client) {
		c.Dialer = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := fetchtest.Pipe()
			w := begin()
			still.Go(func() { serve(w, theirs) })
			return ours, nil
		}
		c.Datagrams = func(ctx context.Context, addr string) (net.PacketConn, netip.AddrPort, error) {
			w := begin()
			return fetchtest.Datagrams(func(b []byte, reply func([]byte)) {
				for _, answer := range w.Hear(b) {
					reply(answer)
				}
			})(ctx, addr)
		}
	})
	still.Wait()
	if plan == nil && len(served)+len(announced) > 0 {
		return 0, errors.New("the server was contacted, although nothing can be planned")
	}
	var want []string
	for _, s := range announced {
		if w := x.want(s, plan, value); w != "" {
			want = append(want, w)
		}
	}
	for _, w := range served {
		got, err := w.Said()
		if err != nil {
			return requests, err
		}
		for i, g := range got {
			if i >= len(want) || g != want[i] && !strings.Contains(want[i], "***") {
				return requests, fmt.Errorf("got %s, want %s", got, want)
			}
		}
		want = want[len(got):]
		requests += len(got)
	}
	if len(want) > 1 { // encoding may refuse the last one
		return requests, fmt.Errorf("got nothing of %s, which were announced", want)
	}
	return requests, nil
}

// serve is the server's end of a connection.
func serve(w wire, c *fetchtest.Conn) {
	defer c.Close()
	buf := make([]byte, 64<<10)
	for said := []byte(nil); ; {
		for _, answer := range w.Hear(said) {
			if c.Write(answer); len(answer) == 0 {
				c.CloseWrite()
			}
		}
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		said = buf[:n]
	}
}

func wantWAIS(s fetch.Step, _ *fetch.Plan, _ string) string {
	return fmt.Sprintf("%s %q %q", s.Verb, slices.Concat([]string{}, s.Args), s.Data)
}

// wantProspero returns the words of a line. The two lines at the beginning of every message are announced with its first line.
func wantProspero(s fetch.Step, _ *fetch.Plan, _ string) string {
	if s.Verb == "VERSION" || s.Verb == "AUTHENTICATE" {
		return ""
	}
	words := append([]string{s.Verb}, s.Args...)
	if s.Data != "" {
		words = append(words, s.Data)
	}
	return fmt.Sprintf("%q", append(words, s.Tail...))
}

// rloginWire receives four strings, each ended by a NUL, and nothing else.
type rloginWire struct {
	value string
	in    []byte
	over  bool
}

func (r *rloginWire) Hear(b []byte) [][]byte {
	if r.in = append(r.in, b...); r.over || strings.Count(string(r.in), "\x00") < 4 {
		return nil
	}
	r.over = true
	return [][]byte{[]byte("\x00hi " + r.value), {}}
}

func (r *rloginWire) Said() ([]string, error) {
	if len(r.in) == 0 {
		return nil, nil
	}
	list := strings.Split(string(r.in), "\x00")
	if len(list) != 5 || list[0] != "" || list[4] != "" {
		return nil, fmt.Errorf("got %q, want a NUL and three strings, each with one", r.in)
	}
	return []string{fmt.Sprintf("%q", list[1:4])}, nil
}

func wantRlogin(s fetch.Step, _ *fetch.Plan, _ string) string {
	if s.Verb != "open" {
		return ""
	}
	return fmt.Sprintf("%q", s.Args)
}
