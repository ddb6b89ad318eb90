package fetch_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime/debug"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// none is a handler that returns nothing at all.
type none struct{ probe }

func (none) Run(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) { return nil, nil }
func (none) Send(context.Context, *fetch.Plan, *fetch.Env, io.Reader) (*fetch.Receipt, error) {
	return nil, nil
}

func TestNothingIsAnError(t *testing.T) {
	a := scheme("a", none{probe{plan: local}})
	a.Does.Sends = true
	c := fetch.New(a, scheme("b", probe{plan: func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }}))
	d, err := c.Get(t.Context(), uri.MustParse("a:x"), nil)
	if wantKind(t, err, fetch.ErrLocal); d != nil {
		t.Errorf("a document beside the error: %v", d)
	}
	r, err := c.Send(t.Context(), uri.MustParse("a:x"), nil, nil)
	if wantKind(t, err, fetch.ErrLocal); r != nil {
		t.Errorf("a receipt beside the error: %v", r)
	}
	_, err = c.Get(t.Context(), uri.MustParse("b:x"), nil)
	wantKind(t, err, fetch.ErrUnsupported)
}

// The Client does not call Plan for an operation that Does excludes.
func TestDoesExcludesOperations(t *testing.T) {
	s := scheme("a", probe{plan: func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
		t.Error("got a call of Plan, want none")
		return nil, nil
	}})
	for _, op := range []fetch.Op{fetch.Send, fetch.Attach} {
		_, err := fetch.New(s).Plan(uri.MustParse("a:x"), &fetch.Options{Op: op})
		wantKind(t, err, fetch.ErrUnsupported)
	}
}

// Every error has a kind, whatever a handler or a function of the caller's has returned.
func TestEveryErrorHasAKind(t *testing.T) {
	timeout := &net.OpError{Op: "read", Err: context.DeadlineExceeded}
	fails := errors.New("the key ring is locked")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		err  error
		run  fetch.Kind // the kinds of an error of Run and of one within the entries
		ask  fetch.Kind // of one of Logins
	}{
		{"end", io.EOF, fetch.ErrTruncated, fetch.ErrLocal},
		{"wrapped end", errors.Join(io.EOF), fetch.ErrTruncated, fetch.ErrLocal},
		{"canceled", context.Canceled, fetch.ErrCanceled, fetch.ErrCanceled},
		{"canceled below a kind", fetch.Errorf(fetch.ErrProtocol, "%w", context.Canceled), fetch.ErrCanceled, fetch.ErrCanceled},
		{"timeout", timeout, fetch.ErrTimeout, fetch.ErrTimeout},
		{"other", fails, fetch.ErrProtocol, fetch.ErrLocal},
		{"with a kind", fetch.Errorf(fetch.ErrAuth, "no"), fetch.ErrAuth, fetch.ErrAuth},
	} {
		h := giving("")
		a := scheme("a", h)
		a.LoginFirst = true
		c := fetch.New(a)
		c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return fetch.Login{}, tt.err }
		d, err := c.Get(t.Context(), uri.MustParse("a:x"), nil)
		if fetch.KindOf(err) != tt.ask || !errors.Is(err, tt.err) || d != nil {
			t.Errorf("%s in Logins: %v of kind %q, want %q", tt.name, err, fetch.KindOf(err), tt.ask)
		}
		c.Logins = nil
		c = fetch.New(scheme("a", failing(tt.err)))
		if _, err = c.Get(t.Context(), uri.MustParse("a:x"), nil); fetch.KindOf(err) != tt.run {
			t.Errorf("%s in Run: %v of kind %q, want %q", tt.name, err, fetch.KindOf(err), tt.run)
		}
		h.run = func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			return fetch.NewListing(func(yield func(fetch.Entry, error) bool) { yield(fetch.Entry{}, tt.err) }), nil
		}
		c = fetch.New(scheme("a", h))
		if _, err = collect(c.Entries(t.Context(), uri.MustParse("a:x"), nil), 9); fetch.KindOf(err) != tt.run {
			t.Errorf("%s in Entries: %v of kind %q, want %q", tt.name, err, fetch.KindOf(err), tt.run)
		}
	}
	h := giving("")
	h.run = func(ctx context.Context, _ *fetch.Plan, _ *fetch.Env) (*fetch.Document, error) { return nil, ctx.Err() }
	if _, err := fetch.New(scheme("a", h)).Get(canceled, uri.MustParse("a:x"), nil); !errors.Is(err, fetch.ErrCanceled) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v", err)
	}
}

// A handler's panic becomes an error that contains the place of the panic.
func TestPanicHasItsStack(t *testing.T) {
	h := giving("")
	h.run = func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) { return explode() }
	_, err := get(t, fetch.New(scheme("a", h)), "a:x", nil)
	p, ok := errors.AsType[*fetch.Panic](err)
	if !ok || p.Value != "ouch" || !strings.Contains(string(p.Stack), "explode") {
		t.Errorf("%v, %v: want a panic with its stack", err, p)
	}
}

func explode() (*fetch.Document, error) { panic("ouch") }

// all functions of the caller that a Client calls.
type outsider struct{ at string }

func (o outsider) calls(at string) {
	if o.at == at {
		panic(o)
	}
}

func (o outsider) Begin(*fetch.Plan) fetch.Recording { return o }
func (o outsider) Trace(fetch.Event)                 { o.calls("Account.Trace") }
func (o outsider) Opened(*fetch.Document)            { o.calls("Opened") }
func (o outsider) Octets([]byte)                     { o.calls("Octets") }
func (o outsider) End(error)                         { o.calls("End") }
func (o outsider) Write(p []byte) (int, error)       { o.calls("Write"); return len(p), nil }

// A panic in a function of the caller is not an error of the peer. It reaches the caller with its value and its stack.
func TestPanicOfTheCaller(t *testing.T) {
	s := listen(t, "hello")
	for _, at := range []string{"Trace", "Account.Trace", "Opened", "Octets", "Write", "Dialer", "Datagrams", "Listener", "Logins", "Settings",
		"entry", "none"} {
		o := outsider{at}
		h := opened()
		run := h.run
		h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			if at == "Logins" {
				id, err := env.Identity(ctx, uri.MustParse("b://h/"), 70, fetch.Login{})
				if err == nil {
					_, err = id.Ask(ctx, "")
				}
				return nil, err
			}
			if at == "Datagrams" {
				_, err := env.Packets(ctx, p.Addr)
				return nil, err
			}
			d, err := run(ctx, p, env)
			if err == nil {
				d.ListWith(titlesIn)
			}
			return d, err
		}
		if at == "Listener" {
			h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
				c, err := env.Dial(ctx, "tcp", p.Addr, nil)
				if err == nil {
					_, err = env.Accept(ctx, c)
				}
				return nil, err
			}
		}
		c := fetch.New(scheme("a", h))
		c.Recorder = o
		if at == "Write" {
			c.Recorder = nil // the handler moves the bytes
		}
		c.Dialer = func(context.Context, string, string) (net.Conn, error) { o.calls("Dialer"); return nil, nil }
		c.Datagrams = func(context.Context, string) (p net.PacketConn, a netip.AddrPort, err error) {
			o.calls("Datagrams")
			return p, a, io.EOF
		}
		c.Listener = func(net.Conn) (net.Listener, error) { o.calls("Listener"); return nil, io.EOF }
		c.Settings = func(uri.URI) map[string][]string { o.calls("Settings"); return nil }
		c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) {
			o.calls("Logins")
			return fetch.Login{}, nil
		}
		value, stack := caught(func() {
			d, err := c.Get(t.Context(), uri.MustParse("a://"+s.addr+"/x"), &fetch.Options{Trace: func(fetch.Event) { o.calls("Trace") }})
			if err != nil {
				t.Errorf("%s: %v", at, err)
				return
			}
			defer d.Body.Close()
			if at == "entry" {
				for range d.Entries {
					o.calls(at)
				}
			}
			if _, err := io.Copy(o, d.Body); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		})
		c.Close()
		switch {
		case at == "none" && value != nil:
			t.Errorf("%s: %v\n%s", at, value, stack)
		case at != "none" && (value != any(o) || !strings.Contains(stack, "outsider.calls")):
			t.Errorf("%s: recovered %v, want %v; from\n%s", at, value, o, stack)
		}
	}
}

// caught returns the value and the stack of f's panic.
func caught(f func()) (value any, stack string) {
	defer func() {
		if value = recover(); value != nil {
			stack = string(debug.Stack())
		}
	}()
	f()
	return nil, ""
}
