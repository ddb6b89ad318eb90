package schemetest_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/uri"
)

// An nvtToy is a scheme whose documents are empty, and the Handler of its Stream.
type nvtToy struct {
	ssl string           // the setting
	log *strings.Builder // the calls of the Handler
}

func (y *nvtToy) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	addr, err := u.HostPort(23)
	p := &fetch.Plan{Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Steps: []fetch.Step{{Verb: "read"}}, Run: y.run}
	nvt.PlanTLS(p, y.ssl, false)
	return p, err
}

func (y *nvtToy) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.Steps[0]); err != nil {
		return nil, err
	}
	h, err := nvt.Dial(ctx, p, env, y)
	if err != nil {
		return nil, err
	}
	defer h.Conn.Close()
	h.Conn.BeginUntilClose()
	buf := make([]byte, 1000)
	for err == nil {
		err = h.Read(ctx, buf)
	}
	if err != io.EOF {
		return nil, err
	}
	return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), nil
}

func (y *nvtToy) Data(p []byte) error                { y.log.Write(p); return nil }
func (y *nvtToy) Command(byte) error                 { return nil }
func (y *nvtToy) Sub(byte, []byte) error             { y.log.WriteByte('S'); return nil }
func (y *nvtToy) Changed(nvt.Side, byte, bool) error { y.log.WriteByte('C'); return nil }
func (y *nvtToy) Agree(side nvt.Side, opt byte) bool { y.log.WriteByte('A'); return opt == nvt.LFlow }

// What the host sends.
const (
	doTLS   = "\xff\xfd\x2e"
	follow  = "\xff\xfa\x2e\x01\xff\xf0"
	willTLS = "\xff\xfb\x2e"
	wontTLS = "\xff\xfc\x2e"
	doType  = "\xff\xfd\x18"
	doFlow  = "\xff\xfd\x21"

	willFlow = "\xff\xfb\x21"
)

// TestNVTStartTLS checks what each end may send before TLS, inside it and without it.
func TestNVTStartTLS(t *testing.T) {
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		y      nvtToy
		clear  string // what the host sends without TLS
		inside string // what the host sends inside TLS
		log    string // of the Handler
		got    string // what the host receives without TLS
		kind   fetch.Kind
	}{
		{name: "without", clear: "hello", log: "hello"},
		{name: "begun", clear: doTLS + follow, inside: "hello", log: "hello", got: willTLS + follow},
		{name: "begun, as required", y: nvtToy{ssl: "require"}, clear: doTLS + follow, inside: "hello", log: "hello",
			got: willTLS + follow},
		{name: "required, and text comes", y: nvtToy{ssl: "require"}, clear: "login: ", kind: fetch.ErrTLS},
		{name: "required, and another option comes", y: nvtToy{ssl: "require"}, clear: doType, log: "A", kind: fetch.ErrTLS},
		{name: "required, and text comes first", y: nvtToy{ssl: "require"}, clear: "login: " + doTLS, kind: fetch.ErrTLS},
		{name: "required, and text comes after the request", y: nvtToy{ssl: "require"}, clear: doTLS + "login: ", kind: fetch.ErrTLS},
		{name: "required, and an option comes after the request", y: nvtToy{ssl: "require"}, clear: doTLS + doType, log: "A",
			kind: fetch.ErrTLS},
		{name: "not wanted", y: nvtToy{ssl: "never"}, clear: doTLS + "hello", log: "Ahello", got: wontTLS},
		{name: "text after the agreement", clear: doTLS + follow + "login: ", kind: fetch.ErrProtocol},
		{name: "agreement without a request", clear: follow + "hello", log: "hello"},
		{name: "the host's own TLS", clear: willTLS + "hello", log: "Ahello", got: "\xff\xfe\x2e"},
		{name: "an option before TLS", clear: doFlow + doTLS + follow, inside: "hello", log: "ACChello", got: willFlow + willTLS + follow},
		{name: "requested again, inside", clear: doTLS + follow, inside: doTLS + "hello", log: "Ahello", got: willTLS + follow},
	} {
		t.Run(x.name, func(t *testing.T) {
			received := make(chan string, 1)
			s, err := loopback.Listen("", func(c net.Conn) {
				io.WriteString(c, x.clear)
				b := make([]byte, len(x.got))
				n, _ := io.ReadFull(c, b)
				received <- string(b[:n])
				if x.inside != "" {
					in := tls.Server(c, cfg)
					io.WriteString(in, x.inside)
					in.CloseWrite()
				}
				loopback.Finish(c)
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			y := x.y
			y.log = &strings.Builder{}
			c := fetch.New(fetch.Scheme{Names: []string{"toy"}, Does: fetch.Does{Retrieves: true}, Rules: uri.Rules{Hierarchical: true},
				Plan: y.plan})
			c.TLS = &tls.Config{RootCAs: roots}
			c.Timeouts.Idle = 5 * time.Second
			d, err := c.Get(t.Context(), uri.MustParse("toy://"+s.Addr()), nil)
			if err == nil {
				d.Body.Close()
			}
			if fetch.KindOf(err) != x.kind || y.log.String() != x.log {
				t.Errorf("got %v, log %q, want kind %q, log %q", err, y.log, x.kind, x.log)
			}
			if got := <-received; got != x.got {
				t.Errorf("the host received %q, want %q", got, x.got)
			}
		})
	}
}
