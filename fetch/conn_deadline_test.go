package fetch_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A whole reply has one deadline. In a body each Read has its own.
func TestPromise5TurnHasOneDeadlineAndStreamOneForEachRead(t *testing.T) {
	synctest.Test(t, turnAndStream) // real time would depend on the load of the machine
}

func turnAndStream(t *testing.T) {
	drip := strings.Repeat("*: [delay 40ms]\nS: x\\\n", 8)
	read := func(c *fetch.Conn) error {
		_, err := io.ReadFull(c, make([]byte, 8))
		return err
	}
	start := time.Now()
	err := with(t, drip, idle(100*time.Millisecond), func(c *fetch.Conn) error { c.BeginReply(); return read(c) })
	wantKind(t, err, fetch.ErrTimeout)
	if took := time.Since(start); took > 250*time.Millisecond {
		t.Errorf("a turn of 100 ms took %s", took)
	}
	if err := with(t, drip, idle(100*time.Millisecond), func(c *fetch.Conn) error { c.BeginBody(); return read(c) }); err != nil {
		t.Errorf("a stream whose octets come 40 ms apart: %v", err)
	}
	err = with(t, "S: x\\\n*: [delay 300ms]\nS: x\\", idle(100*time.Millisecond), func(c *fetch.Conn) error {
		c.BeginBody()
		_, err := io.ReadFull(c, make([]byte, 2))
		return err
	})
	wantKind(t, err, fetch.ErrTimeout)
}

// A library's deadline shortens the Client's, and never lengthens it.
func TestPromise5DeadlinesOfLibraries(t *testing.T) { synctest.Test(t, deadlinesOfLibraries) }

func deadlinesOfLibraries(t *testing.T) {
	err := with(t, "*: [delay 1s]\nS: x", idle(5*time.Second), func(c *fetch.Conn) error {
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		return err
	})
	wantKind(t, err, fetch.ErrTimeout)
	for _, begin := range []func(*fetch.Conn){(*fetch.Conn).BeginReply, (*fetch.Conn).BeginBody} {
		start := time.Now()
		err = with(t, "*: [delay 2s]\nS: x", idle(50*time.Millisecond), func(c *fetch.Conn) error {
			begin(c)
			c.SetDeadline(time.Now().Add(time.Hour))
			_, err := c.Read(make([]byte, 1))
			return err
		})
		wantKind(t, err, fetch.ErrTimeout)
		if took := time.Since(start); took > time.Second {
			t.Errorf("a deadline was lengthened to %s", took)
		}
	}
	if err := with(t, "*: [delay 50ms]\nS: x", nil, func(c *fetch.Conn) error {
		c.SetReadDeadline(time.Now().Add(time.Millisecond))
		c.SetReadDeadline(time.Time{}) // restored
		_, err := c.Read(make([]byte, 1))
		return err
	}); err != nil {
		t.Error(err)
	}
}

// The end of the request's context ends every wait, and the caller's own error comes through.
func TestPromise5Cancel(t *testing.T) { synctest.Test(t, cancel) }

func cancel(t *testing.T) {
	reason := errors.New("the user is tired")
	for _, tt := range []struct {
		name string
		ctx  func(context.Context) context.Context
		want error
		kind fetch.Kind
	}{
		{"cancelled", func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(30*time.Millisecond, cancel)
			return ctx
		}, context.Canceled, fetch.ErrCanceled},
		{"cancelled with a cause", func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(30*time.Millisecond, func() { cancel(reason) })
			return ctx
		}, reason, fetch.ErrCanceled},
		{"deadline", func(ctx context.Context) context.Context {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
			t.Cleanup(cancel)
			return ctx
		}, context.DeadlineExceeded, fetch.ErrTimeout},
	} {
		for _, where := range []string{"in Run", "in Body"} {
			h := asking(nil)
			if where == "in Run" {
				h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
					c, err := env.Dial(ctx, "tcp", p.Addr, nil)
					if err != nil {
						return nil, err
					}
					io.WriteString(c, "/x\r\n")
					_, err = c.ReadLine()
					return fetch.NewDocument(c), err
				}
			}
			c := fetch.New(scheme("a", h))
			play(t, c, "C: /x")
			start := time.Now()
			d, err := c.Get(tt.ctx(t.Context()), uri.MustParse("a://h/x"), nil)
			if d != nil {
				_, err = io.ReadAll(d.Body)
				d.Body.Close()
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("%s %s: %v", tt.name, where, err)
			}
			if fetch.KindOf(err) != tt.kind {
				t.Errorf("%s %s: the kind is %q", tt.name, where, fetch.KindOf(err))
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("%s %s: it took %s", tt.name, where, took)
			}
		}
	}
}

func TestPromise5TotalTimeout(t *testing.T) { synctest.Test(t, totalTimeout) }

func totalTimeout(t *testing.T) {
	c := fetch.New(scheme("a", asking(nil)))
	c.Timeouts.Total = 50 * time.Millisecond
	play(t, c, "C: /x\n"+strings.Repeat("S: x\n*: [delay 10ms]\n", 50))
	_, err := get(t, c, "a://h/x", nil)
	wantKind(t, err, fetch.ErrTimeout)
}

func TestPromise5ConnectTimeout(t *testing.T) {
	c := fetch.New(scheme("a", asking(nil)))
	c.Timeouts.Connect = 20 * time.Millisecond
	c.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, err := get(t, c, "a://h/x", nil)
	wantKind(t, err, fetch.ErrTimeout)
}
