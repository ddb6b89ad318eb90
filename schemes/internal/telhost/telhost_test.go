package telhost

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
	"example.org/deref/schemes/internal/telopt"
	"example.org/deref/uri"
)

// toy is a handler that gives what the host says; it is its own End.
type toy struct {
	tls   fetch.TLSMode
	never bool // it has no step for START_TLS

	said *strings.Builder // what End was told, and where the negotiation began anew
}

func (y *toy) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	addr, err := u.HostPort(23)
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: y.tls, Shape: fetch.ShapeDocument, Steps: []fetch.Step{{Verb: "read"}}}
	if !y.never {
		p.Steps = append(p.Steps, StartTLS())
	}
	return p, err
}

func (y *toy) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.Steps[0]); err != nil {
		return nil, err
	}
	h, err := Dial(ctx, p, env, y)
	if err != nil {
		return nil, err
	}
	defer h.Conn.Close()
	h.Renewed = func() { y.said.WriteByte('|') }
	h.Conn.BeginUntilClose()
	buf := make([]byte, 1000)
	for err == nil {
		err = h.Hear(ctx, buf)
	}
	if err != io.EOF {
		return nil, err
	}
	return fetch.NewDocument(io.NopCloser(strings.NewReader(""))), nil
}

func (y *toy) Data(p []byte) error                   { y.said.Write(p); return nil }
func (y *toy) Command(byte) error                    { return nil }
func (y *toy) Sub(byte, []byte) error                { y.said.WriteByte('S'); return nil }
func (y *toy) Changed(telopt.Side, byte, bool) error { y.said.WriteByte('C'); return nil }
func (y *toy) Agree(side telopt.Side, opt byte) bool { y.said.WriteByte('A'); return false }

// Octets of the host.
const (
	doTLS   = "\xff\xfd\x2e"
	follow  = "\xff\xfa\x2e\x01\xff\xf0"
	willTLS = "\xff\xfb\x2e"
	wontTLS = "\xff\xfc\x2e"
	doType  = "\xff\xfd\x18"
)

// TestStartTLS: what each of the two ends may say before TLS, within it and without it.
func TestStartTLS(t *testing.T) {
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		y      toy
		clear  string // what the host says without TLS
		inside string // and what within it
		said   string // what End was told
		heard  string // what the host was told in clear
		kind   fetch.Kind
	}{
		{name: "without", clear: "hello", said: "hello"},
		{name: "begun", clear: doTLS + follow, inside: "hello", said: "|hello", heard: willTLS + follow},
		{name: "begun, as demanded", y: toy{tls: fetch.ExplicitTLS}, clear: doTLS + follow, inside: "hello", said: "|hello", heard: willTLS + follow},
		{name: "demanded, and text comes", y: toy{tls: fetch.ExplicitTLS}, clear: "login: ", kind: fetch.ErrTLS},
		{name: "demanded, and another option comes", y: toy{tls: fetch.ExplicitTLS}, clear: doType, said: "A", kind: fetch.ErrTLS},
		{name: "demanded, and text comes first", y: toy{tls: fetch.ExplicitTLS}, clear: "login: " + doTLS, kind: fetch.ErrTLS},
		{name: "not wanted", y: toy{never: true}, clear: doTLS + "hello", said: "Ahello", heard: wontTLS},
		{name: "text behind the consent", clear: doTLS + follow + "login: ", kind: fetch.ErrProtocol},
		{name: "consent out of nothing", clear: follow + "hello", said: "hello"},
		{name: "the host's own TLS", clear: willTLS + "hello", said: "Ahello", heard: "\xff\xfe\x2e"},
		{name: "asked for again, inside", clear: doTLS + follow, inside: doTLS + "hello", said: "|Ahello", heard: willTLS + follow},
	} {
		t.Run(x.name, func(t *testing.T) {
			heard := make(chan string, 1)
			s, err := loopback.Listen("", func(c net.Conn) {
				io.WriteString(c, x.clear)
				b := make([]byte, len(x.heard))
				n, _ := io.ReadFull(c, b)
				heard <- string(b[:n])
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
			y.said = &strings.Builder{}
			c := fetch.New(fetch.Scheme{Names: []string{"toy"}, Does: fetch.Does{Retrieves: true}, Rules: uri.Rules{Hierarchical: true}, Handler: &y})
			c.TLS = &tls.Config{RootCAs: roots}
			c.Timeouts.Idle = 5 * time.Second
			d, err := c.Get(t.Context(), uri.MustParse("toy://"+s.Addr()), nil)
			if err == nil {
				d.Body.Close()
			}
			if fetch.KindOf(err) != x.kind || y.said.String() != x.said {
				t.Errorf("%v, told %q, want %q", err, y.said, x.said)
			}
			if got := <-heard; got != x.heard {
				t.Errorf("the host was told %q, want %q", got, x.heard)
			}
		})
	}
}
