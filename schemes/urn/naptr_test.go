package urn

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A zone is a DNS server's: records by name.
type zone struct {
	naptr map[string][]rule

	short bool                       // no answer fits a datagram
	mute  bool                       // sends no responses
	spoof bool                       // first sends bad responses: another ID, another question, not a response
	code  dnsmessage.RCode           // of every answer
	twist func(answer []byte) []byte // the result for each response

	mu    sync.Mutex
	asked []string
}

// serve answers on one port of loopback, by datagrams and connections.
func (z *zone) serve(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pc, err := net.ListenPacket("udp", ln.Addr().String())
	if err != nil {
		ln.Close()
		t.Skip("the port is taken: ", err)
	}
	var done sync.WaitGroup
	done.Go(func() { z.datagrams(pc) })
	done.Go(func() { z.connections(ln) })
	t.Cleanup(func() { ln.Close(); pc.Close(); done.Wait() })
	return ln.Addr().String()
}

func (z *zone) datagrams(pc net.PacketConn) {
	b := make([]byte, 4096)
	for {
		n, from, err := pc.ReadFrom(b)
		if err != nil {
			return
		}
		if z.mute {
			continue
		}
		if z.spoof {
			forged := z.answer(b[:n], false)
			forged[0] ^= 1
			pc.WriteTo(forged, from)
			pc.WriteTo(b[:n], from)
			pc.WriteTo(z.answer(question1("other.urn.arpa", b[:2]), false), from)
			pc.WriteTo([]byte("nonsense"), from)
		}
		pc.WriteTo(z.answer(b[:n], z.short), from)
	}
}

// question1 is a question with the given id.
func question1(name string, id []byte) []byte {
	q, _ := ask(name, 1)
	copy(q.raw, id)
	return q.raw
}

func (z *zone) connections(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err == nil {
			b := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(c, b); err == nil {
				a := z.answer(b, false)
				c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...))
			}
		}
		c.Close()
	}
}

func (z *zone) answer(query []byte, short bool) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	name := strings.TrimSuffix(q.Name.String(), ".")
	z.mu.Lock()
	z.asked = append(z.asked, name)
	z.mu.Unlock()
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: h.ID, Response: true, Truncated: short, RCode: z.code})
	b.StartQuestions()
	b.Question(q)
	b.StartAnswers()
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1}
	if !short && q.Type == typeNAPTR {
		for _, r := range z.naptr[name] {
			b.UnknownResource(head, dnsmessage.UnknownResource{Type: typeNAPTR, Data: r.encode()})
		}
	}
	out, _ := b.Finish()
	if z.twist != nil {
		out = z.twist(out)
	}
	return out
}

func (r rule) encode() []byte {
	b := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, r.order), r.preference)
	for _, s := range []string{r.flags, r.services, r.regexp} {
		b = append(append(b, byte(len(s))), s...)
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(r.domain, "."), ".") {
		if label != "" {
			b = append(append(b, byte(len(label))), label...)
		}
	}
	return append(b, 0)
}

// discovered returns the referrals for a name, one per line.
func (z *zone) discovered(t *testing.T, name string) (string, error) {
	t.Helper()
	wait := 10 * time.Second // a busy machine repeats no query
	if z.mute {
		wait = time.Millisecond
	}
	c := fetch.New((&tables{wait: wait}).scheme())
	c.Policy.NoFollow = true
	_, port, _ := net.SplitHostPort(z.serve(t))
	d, err := c.Get(context.Background(), uri.MustParse(name), &fetch.Options{Set: map[string][]string{settingNAPTR: {"127.0.0.1:" + port}}})
	if err != nil {
		return "", err
	}
	defer d.Body.Close()
	var list []string
	for _, r := range d.Referrals {
		if r.Own {
			t.Errorf("%s: got Own, want a referral of the server", r.URI)
		}
		list = append(list, r.URI.String())
	}
	return strings.Join(list, " "), nil
}

func TestDiscovery(t *testing.T) {
	const foo = "foo.urn.arpa"
	for _, c := range []struct {
		what, want string
		zone       *zone
		kind       fetch.Kind
		asked      []string
	}{
		{what: "a URI", want: "http://h.example/a/b",
			zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "u", "http+I2L", `!^urn:foo:(.*)$!http://h.example/\1!`, "."}}}}},
		// RFC 3404 section 5.1, shortened: a key made of the name, then a service.
		// RFC 3404 section 5.1, shortened: a key made of the name.
		{what: "another key, and the old names of services", want: "http://b.example/urn:foo:a/b", asked: []string{foo, "a.example"},
			zone: &zone{naptr: map[string][]rule{
				foo:         {{100, 10, "", "", `/urn:foo:([^\/]+)\/.*$/\1.example/i`, "."}},
				"a.example": {{1, 1, "U", "http+N2C+N2L", `!^(.*)$!http://b.example/\1!`, "."}},
			}}},
		{what: "the lowest order that applies, by preference", want: "http://second/ http://third/", zone: &zone{naptr: map[string][]rule{foo: {
			{20, 1, "u", "I2L", "!^.*$!http://fourth/!", "."}, {10, 9, "u", "I2L", "!^.*$!http://third/!", "."},
			{10, 5, "u", "I2L", "!^.*$!http://second/!", "."}, {5, 1, "u", "I2L", "!^urn:bar:.*$!http://first/!", "."},
		}}}},
		{what: "a description is no object", kind: fetch.ErrNotFound,
			zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "u", "http+I2C", "!^.*$!http://h/!", "."}}}}},
		{what: "hosts, and protocols of nobody", kind: fetch.ErrNotFound,
			zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "a", "http+I2L", "", "h.example."}, {1, 1, "s", "http+I2L", "", "h.example."}, {1, 2, "p", "x+I2L", "", "h.example."}}}}},
		{what: "no rule", kind: fetch.ErrNotFound, zone: &zone{}},
		{what: "no such name", kind: fetch.ErrNotFound, zone: &zone{code: dnsmessage.RCodeNameError}},
		{what: "refused", kind: fetch.ErrRefused, zone: &zone{code: dnsmessage.RCodeRefused}},
		{what: "broken", kind: fetch.ErrUnavailable, zone: &zone{code: dnsmessage.RCodeServerFailure}},
		{what: "silent", kind: fetch.ErrTimeout, zone: &zone{mute: true}, asked: []string{}},
		{what: "by a connection", want: "http://h/", zone: &zone{short: true,
			naptr: map[string][]rule{foo: {{1, 1, "u", "I2L", "!^.*$!http://h/!", "."}}}}, asked: []string{foo, foo}},
		{what: "forged answers first", want: "http://h/", zone: &zone{spoof: true,
			naptr: map[string][]rule{foo: {{1, 1, "u", "I2L", "!^.*$!http://h/!", "."}}}}},
		{what: "a circle", kind: fetch.ErrRedirect,
			zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "", "", "", "b.example."}}, "b.example": {{1, 1, "", "", "", "FOO.urn.arpa."}}}}},
		{what: "without end", kind: fetch.ErrLimit, zone: &zone{naptr: chain(40)}},
		{what: "too many rules", kind: fetch.ErrLimit, zone: &zone{naptr: map[string][]rule{foo: make([]rule, mostRecords+1)}}},
		{what: "a key that is no name", kind: fetch.ErrNotFound,
			zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "", "", "!^.*$!a b\\r\\n!", "."}}}}},
		{what: "a URI that is none", kind: fetch.ErrNotFound,
			zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "u", "I2L", "!^.*$!a b!", "."}}}}},
		{what: "cut short", kind: fetch.ErrProtocol, zone: &zone{naptr: map[string][]rule{foo: {{1, 1, "u", "I2L", "!^.*$!http://h/!", "."}}},
			twist: func(b []byte) []byte { return b[:len(b)-5] }}},
	} {
		t.Run(c.what, func(t *testing.T) {
			z := c.zone
			got, err := z.discovered(t, "urn:foo:a/b")
			if got != c.want || fetch.KindOf(err) != c.kind {
				t.Errorf("got %q, %v, want %q, kind %q", got, err, c.want, c.kind)
			}
			z.mu.Lock()
			defer z.mu.Unlock()
			if c.asked != nil && !slices.Equal(z.asked, c.asked) {
				t.Errorf("got queries %q, want %q", z.asked, c.asked)
			}
		})
	}
}

// chain is a rule that refers to a rule that refers to a rule.
func chain(n int) map[string][]rule {
	m := map[string][]rule{"foo.urn.arpa": {{1, 1, "", "", "", "k0.example."}}}
	for i := range n {
		m["k"+strings.Repeat("0", i+1)+".example"] = []rule{{1, 1, "", "", "", "k" + strings.Repeat("0", i+2) + ".example."}}
	}
	return m
}

// TestTableBeforeTheDNS checks that names in tables are not looked up, and no name unless the user sets urn.naptr.
func TestTableBeforeTheDNS(t *testing.T) {
	c := fetch.New(Scheme(&Config{Resolver: "192.0.2.53"}))
	for name, want := range map[string]string{"urn:ietf:rfc:1": "", "urn:foo:a": "udp 192.0.2.53:53", "urn:FOO:a": "udp 192.0.2.53:53"} {
		p, err := c.Plan(uri.MustParse(name), &fetch.Options{Set: map[string][]string{settingNAPTR: {"yes"}}})
		if err != nil || strings.TrimSpace(p.Network+" "+p.Addr) != want {
			t.Errorf("%s: got %+v, %v, want %q", name, p, err, want)
		}
	}
	for in, want := range map[string]string{"h": "h:53", "h:5353": "h:5353", "2001:db8::1": "[2001:db8::1]:53",
		"[2001:db8::1]:5": "[2001:db8::1]:5"} {
		if p, err := c.Plan(uri.MustParse("urn:foo:a"), &fetch.Options{Set: map[string][]string{settingNAPTR: {in}}}); err != nil ||
			p.Addr != want {
			t.Errorf("%s: got %v, %v, want %s", in, p, err, want)
		}
	}
	if _, err := fetch.New(Scheme(nil)).Plan(uri.MustParse("urn:foo:a"),
		&fetch.Options{Set: map[string][]string{settingNAPTR: {"yes"}}}); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("without a resolver: got %v, want kind %s", err, fetch.ErrLocal)
	}
}

func TestSubstitute(t *testing.T) {
	for _, c := range []struct{ expr, in, want string }{
		{`!^urn:foo:(.*)$!http://h/\1!`, "urn:foo:a", "http://h/a"},
		{`/urn:cid:.+@([^\.]+\.)(.*)$/\2/i`, "urn:CID:199606121851.1@bar.example.com", "example.com"}, // RFC 3404 section 5.1
		{`!FOO!bar!`, "urn:foo:a", ""}, {`!FOO!bar!i`, "urn:foo:a", "urn:bar:a"},                      // in place of the match, as sed does
		{`!a\!b!c\!d!`, "xa!by", "xc!dy"},
		{`!(a)|(b)!<\1\2>!`, "b", "<b>"},
		{`!a!\2!`, "a", ""}, {`!a!\0!`, "a", "0"}, {`!a!\\!`, "a", `\`},
		{`!a!b`, "a", ""}, {`!a`, "a", ""}, {`!`, "a", ""}, {"", "a", ""}, {`!a!b!x`, "a", ""}, {`1a1b1`, "a", ""}, {`!(!b!`, "(", ""},
		{`!(a*)*$!x!`, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabx"}, // no expression takes for ever
	} {
		got, ok := substitute(c.expr, c.in)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("substitute(%s, %s) = %q, %v, want %q", c.expr, c.in, got, ok, c.want)
		}
	}
}

// FuzzRule: every record is parsed or refused, and a parsed rule equals the one that was encoded.
func FuzzRule(f *testing.F) {
	f.Add(rule{1, 2, "u", "http+I2L", `!^(.*)$!http://h/\1!i`, "a.example."}.encode(), "urn:foo:a")
	f.Add([]byte{0, 1, 0, 1, 0, 0, 0, 0xc0, 0x0c}, "urn:foo:a")
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		r, ok := ruleOf(b)
		if !ok {
			return
		}
		substitute(r.regexp, name)
		r.retrieves()
		r.domain = "" // labels may hold dots
		if again, ok := ruleOf(r.encode()); !ok || again != r {
			t.Fatalf("%+v became %+v when encoded and parsed", r, again)
		}
	})
}

// FuzzAnswer checks that a datagram yields at most the limit of records, and only in response to the query.
func FuzzAnswer(f *testing.F) {
	q, err := ask("foo.urn.arpa", 1)
	if err != nil {
		f.Fatal(err)
	}
	q.id = 7
	q.raw[0], q.raw[1] = 0, 7
	z := &zone{naptr: map[string][]rule{"foo.urn.arpa": {{1, 1, "u", "I2L", "!^.*$!http://h/!", "."}}}}
	f.Add(z.answer(q.raw, false))
	f.Add(q.raw)
	f.Fuzz(func(t *testing.T, b []byte) {
		list, whole, ours, err := q.answer(b)
		if len(list) > mostRecords || !ours && (whole || err != nil || list != nil) {
			t.Fatalf("got %d records, %v, %v, %v, want at most %d, and none of another response", len(list), whole, ours, err, mostRecords)
		}
		rulesOf(list)
	})
}
