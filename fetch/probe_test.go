package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/uri"
)

// A probe is a handler whose Run is whatever a test needs.
type probe struct {
	run   func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error)
	steps []fetch.Step
	plan  func(u uri.URI, o *fetch.Options) (*fetch.Plan, error)
}

func (h probe) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if h.plan != nil {
		return h.plan(u, o)
	}
	addr, err := u.HostPort(7000)
	return &fetch.Plan{Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Steps: h.steps}, err
}

func (h probe) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	return h.run(ctx, p, env)
}

// A handler becomes a scheme in a test. It may have the method Send.
type handler interface {
	Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error)
	Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error)
}

func scheme(name string, h handler) fetch.Scheme {
	plan := func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		p, err := h.Plan(u, o)
		if p == nil || err != nil {
			return p, err
		}
		p.Run = h.Run
		if s, ok := h.(interface {
			Send(context.Context, *fetch.Plan, *fetch.Env, io.Reader) (*fetch.Receipt, error)
		}); ok {
			p.Send = s.Send
		}
		return p, nil
	}
	return fetch.Scheme{Names: []string{name}, Rules: uri.Rules{DefaultPort: 7000}, Does: fetch.Does{Retrieves: true}, Plan: plan,
		Settings: []fetch.Setting{{Key: name + ".token", Help: "a token", Secret: true}, {Key: name + ".colour", Help: "a colour"}}}
}

// asking is a handler that sends its path as a line and returns all bytes up to the end of the connection.
func asking(o *fetch.DialOptions) probe {
	return probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, o)
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(c, "%s\r\n", p.URI.Path()); err != nil {
			return nil, err
		}
		return fetch.NewDocument(c), nil
	}}
}

// opened is a handler that only connects.
func opened() probe {
	return probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, nil)
		if err != nil {
			return nil, err
		}
		return fetch.NewDocument(fetch.NewBody(strings.NewReader("here"), c.Close)), nil
	}}
}

// giving is a handler that returns text without contacting a server.
func giving(text string) probe {
	return probe{
		plan: func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Shape: fetch.ShapeDocument}, nil
		},
		run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			return fetch.NewDocument(io.NopCloser(strings.NewReader(text))), nil
		}}
}

// changed is giving with a Document that f changes.
func changed(text string, f func(p *fetch.Plan, d *fetch.Document)) probe {
	h := giving(text)
	run := h.run
	h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		d, err := run(ctx, p, env)
		f(p, d)
		return d, err
	}
	return h
}

// failing is a handler whose Run returns err.
func failing(err error) probe {
	h := giving("")
	h.run = func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) { return nil, err }
	return h
}

// get dereferences u and reads all of it.
func get(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (string, error) {
	t.Helper()
	d, err := c.Get(t.Context(), uri.MustParse(u), o)
	if d == nil {
		return "", err
	}
	defer d.Body.Close()
	b, rerr := io.ReadAll(d.Body)
	return string(b), errors.Join(err, rerr)
}

// mustGet gets u, and fails the test unless there is a document.
func mustGet(t *testing.T, c *fetch.Client, u string, o *fetch.Options) *fetch.Document {
	t.Helper()
	d, err := c.Get(t.Context(), uri.MustParse(u), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wantKind fails unless err is of kind k.
func wantKind(t *testing.T, err error, k fetch.Kind) {
	t.Helper()
	if !errors.Is(err, k) {
		t.Errorf("the error is %q: %v, not %q", fetch.KindOf(err), err, k)
	}
}

// play makes the script c's network. When the test ends, it fails if the script was not played to its end.
func play(t *testing.T, c *fetch.Client, script string) *dialogue.Player {
	t.Helper()
	s, err := dialogue.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Attach(c)
	t.Cleanup(func() {
		c.Close()
		if err := p.Close(); err != nil {
			t.Errorf("the dialogue: %v", err)
		}
	})
	return p
}

// listen starts a server on the loopback interface that counts its clients and sends each of them greeting.
type server struct {
	addr string
	net  *loopback.Listener
}

func listen(t *testing.T, greeting string) *server {
	t.Helper()
	l, err := loopback.Listen("", func(c net.Conn) { io.WriteString(c, greeting) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &server{l.Addr(), l}
}

func (s *server) clients() int { return s.net.Peers() }

func (s *server) port() string { return s.addr[strings.LastIndexByte(s.addr, ':')+1:] }

// traced collects a trace.
type traced struct {
	mu   sync.Mutex
	text strings.Builder
	all  []fetch.Event
}

func (t *traced) take(e fetch.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Data = append([]byte(nil), e.Data...)
	t.all = append(t.all, e)
	fmt.Fprintf(&t.text, "%c %s%s\n", e.Dir, e.Data, e.Note)
	if e.Step != nil {
		fmt.Fprintf(&t.text, "%+v\n", *e.Step)
	}
}

// data returns what was traced of one direction.
func (t *traced) data(dir byte) string {
	var b strings.Builder
	for _, e := range t.all {
		if e.Dir == dir {
			b.Write(e.Data)
		}
	}
	return b.String()
}
