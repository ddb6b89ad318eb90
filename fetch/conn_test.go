package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// with runs f on a connection to a script, within a request.
func with(t *testing.T, script string, tune func(*fetch.Client), f func(c *fetch.Conn) error) error {
	t.Helper()
	h := probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, nil)
		if err != nil {
			return nil, err
		}
		return fetch.NewDocument(nil), f(c)
	}}
	c := fetch.New(scheme("a", h))
	if tune != nil {
		tune(c)
	}
	play(t, c, script)
	_, err := get(t, c, "a://h/", nil)
	return err
}

func idle(d time.Duration) func(*fetch.Client) {
	return func(c *fetch.Client) { c.Timeouts.Idle = d }
}

func TestReadLine(t *testing.T) {
	err := with(t, "S: crlf\nS: lf\\n\\\nS:\nS: rest of it\\n\\\nS: unfinished\\\n*: [end]", nil, func(c *fetch.Conn) error {
		for _, want := range []string{"crlf", "lf", ""} {
			if line, err := c.ReadLine(); string(line) != want || err != nil {
				t.Errorf("%q, %v, not %q", line, err, want)
			}
		}
		b := make([]byte, 4)
		if _, err := io.ReadFull(c, b); string(b) != "rest" || err != nil {
			t.Errorf("Read after ReadLine: got %q, %v, want rest", b, err)
		}
		c.ReadLine()
		if line, err := c.ReadLine(); string(line) != "unfinished" || err != io.ErrUnexpectedEOF {
			t.Errorf("the last line is %q, %v", line, err)
		}
		if _, err := c.ReadLine(); err != io.EOF {
			t.Errorf("after the end: got %v, want io.EOF", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPromise6LimitsOfLineAndReply(t *testing.T) {
	small := func(c *fetch.Client) { c.Limits.Line, c.Limits.Reply = 100, 1000 }
	for _, tt := range []struct {
		name   string
		script string
		f      func(c *fetch.Conn) error
		want   fetch.Kind
	}{
		{"a line", "S: " + strings.Repeat("x", 9000), func(c *fetch.Conn) error { _, err := c.ReadLine(); return err }, fetch.ErrLimit},
		{"a line that comes in one piece", "S: " + strings.Repeat("x", 101), func(c *fetch.Conn) error { _, err := c.ReadLine(); return err }, fetch.ErrLimit},
		{"a line of the limit", "S: " + strings.Repeat("x", 100), func(c *fetch.Conn) error { _, err := c.ReadLine(); return err }, ""},
		{"a line that never ends", "S: " + strings.Repeat("x", 9000) + "\\", func(c *fetch.Conn) error { _, err := c.ReadLine(); return err }, fetch.ErrLimit},
		{"a reply", strings.Repeat("S: short\n", 5000), func(c *fetch.Conn) error {
			c.BeginReply()
			for {
				if _, err := c.ReadLine(); err != nil {
					return err
				}
			}
		}, fetch.ErrLimit},
		{"a body has none", strings.Repeat("S: short\n", 5000) + "*: [end]", func(c *fetch.Conn) error {
			c.BeginBody()
			n, err := io.Copy(io.Discard, c)
			if err == nil && n != 35000 {
				return fmt.Errorf("%d octets", n)
			}
			return err
		}, ""},
		{"each turn has its own", strings.Repeat("S: short\n", 300), func(c *fetch.Conn) error {
			for range 300 {
				c.BeginReply()
				if _, err := c.ReadLine(); err != nil {
					return err
				}
			}
			return nil
		}, ""},
	} {
		err := with(t, tt.script, small, tt.f)
		if tt.want == "" && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if tt.want != "" && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A Read that begins in a reply and ends in a body has waited since it began, not since the reply began.
func TestStreamBeginsWhileReading(t *testing.T) {
	err := with(t, "*: [delay 50ms]\nS: x\\", func(*fetch.Client) {}, func(c *fetch.Conn) error {
		c.BeginReply()
		read := make(chan error)
		go func() {
			_, err := c.Read(make([]byte, 1))
			read <- err
		}()
		time.Sleep(10 * time.Millisecond)
		c.BeginBody()
		return <-read
	})
	if err != nil {
		t.Error(err)
	}
}

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

// A connection that breaks before the first byte of a response fails with another Kind than one that breaks later.
func TestPromise1KindsOfBreaks(t *testing.T) {
	read := func(n int) func(c *fetch.Conn) error {
		return func(c *fetch.Conn) error {
			c.BeginReply()
			_, err := io.ReadFull(c, make([]byte, n))
			return err
		}
	}
	wantKind(t, with(t, "*: [connected]\n*: [cut]", nil, read(1)), fetch.ErrConnection)
	wantKind(t, with(t, "S: ab\n*: [cut]", nil, read(9)), fetch.ErrTruncated)
	wantKind(t, with(t, "S: ab\n*: [end]", nil, read(9)), fetch.ErrTruncated) // io.ErrUnexpectedEOF
	wantKind(t, with(t, "*: [refused]", nil, read(1)), fetch.ErrConnect)
	wantKind(t, with(t, "S: ab\n*: [cut]", nil, func(c *fetch.Conn) error { // a head, and no byte of the body
		c.BeginReply()
		if _, err := c.ReadLine(); err != nil {
			return err
		}
		c.BeginBody()
		_, err := c.Read(make([]byte, 1))
		return err
	}), fetch.ErrTruncated)
}

// TLS that ends without close_notify counts as a broken connection, because anybody on the path can cause that.
func TestPromise1TLSEnds(t *testing.T) {
	for _, tt := range []struct {
		end  string
		want error
	}{{"[end]", nil}, {"[cut]", fetch.ErrTruncated}} {
		c := fetch.New(scheme("a", asking(&fetch.DialOptions{TLS: true})))
		play(t, c, "*: [connected]\n*: [TLS]\nC: /x\nS: all of it\n*: "+tt.end)
		body, err := get(t, c, "a://h.example/x", nil)
		if !errors.Is(err, tt.want) || body != "all of it\r\n" {
			t.Errorf("%s: %q, %v", tt.end, body, err)
		}
	}
}

func TestPromise8TLSOfAnUnknownAuthority(t *testing.T) {
	c := fetch.New(scheme("a", asking(&fetch.DialOptions{TLS: true})))
	s, _ := dialogue.Parse("*: [connected]\n*: [TLS]\nC: /x")
	p, err := dialogue.NewPlayer(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c.Dialer = p.Dial
	_, err = get(t, c, "a://h.example/x", nil)
	wantKind(t, err, fetch.ErrTLS)
}

// Cleartext bytes after the server's consent to TLS are an injection.
func TestPromise8StartTLSRefusesWhatCameInClear(t *testing.T) {
	h := probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, nil)
		if err != nil {
			return nil, err
		}
		if _, err := c.ReadLine(); err != nil {
			return nil, err
		}
		return fetch.NewDocument(nil), env.StartTLS(ctx, c)
	}}
	c := fetch.New(scheme("a", h))
	play(t, c, "S: go ahead\\r\\nand believe this\\r\\n\\")
	_, err := get(t, c, "a://h/", nil)
	wantKind(t, err, fetch.ErrProtocol)
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

// A document over the limit stops, however it is read and whether or not its size is known.
func TestPromise6LimitOfDocument(t *testing.T) {
	for _, tt := range []struct {
		size  int64
		limit int64
		want  fetch.Kind
	}{{-1, 10, ""}, {10, 10, ""}, {-1, 9, fetch.ErrLimit}, {10, 9, fetch.ErrLimit}, {-1, -1, ""}} {
		for _, copied := range []bool{false, true} {
			h := giving("0123456789")
			run := h.run
			h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
				d, err := run(ctx, p, env)
				d.Size = tt.size
				return d, err
			}
			c := fetch.New(scheme("a", h))
			c.Limits.Document = tt.limit
			d, err := c.Get(t.Context(), uri.MustParse("a:x"), nil)
			var b bytes.Buffer
			if d != nil && copied {
				_, err = io.Copy(&b, d.Body)
			} else if d != nil {
				_, err = b.ReadFrom(struct{ io.Reader }{d.Body})
			}
			if tt.want == "" && (err != nil || b.Len() != 10) || tt.want != "" && (!errors.Is(err, tt.want) || int64(b.Len()) > tt.limit) {
				t.Errorf("size %d, limit %d, copied %v: %q, %v", tt.size, tt.limit, copied, b.String(), err)
			}
			if d != nil {
				d.Body.Close()
			}
		}
	}
}

// A panic anywhere in a handler fails only its own request.
func TestPanics(t *testing.T) {
	for _, where := range []string{"Plan", "Run", "Read", "Close", "Entries"} {
		h := giving("text")
		run := h.run
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			if where == "Plan" {
				panic("ouch")
			}
			return &fetch.Plan{}, nil
		}
		h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			if where == "Run" {
				panic("ouch")
			}
			d, err := run(ctx, p, env)
			d.Body = panicky{where}
			d.Entries = func(yield func(fetch.Entry, error) bool) {
				if yield(fetch.Entry{Kind: fetch.KindFile}, nil) && where == "Entries" {
					panic("ouch")
				}
			}
			return d, err
		}
		d, err := fetch.New(scheme("a", h)).Get(t.Context(), uri.MustParse("a:x"), nil)
		if d != nil && where == "Entries" {
			for _, e := range d.Entries {
				err = errors.Join(err, e)
			}
		} else if d != nil {
			_, err = io.ReadAll(d.Body)
		}
		if d != nil {
			err = errors.Join(err, d.Body.Close())
		}
		if where == "Close" {
			if err != nil {
				t.Errorf("Close: %v", err)
			}
			continue
		}
		want := fetch.ErrProtocol
		if where == "Plan" {
			want = fetch.ErrRefusedURL
		}
		wantKind(t, err, want)
	}
}

type panicky struct{ where string }

func (p panicky) Read([]byte) (int, error) {
	if p.where == "Read" {
		panic("ouch")
	}
	return 0, io.EOF
}

func (p panicky) Close() error {
	if p.where == "Close" {
		panic("ouch")
	}
	return nil
}
