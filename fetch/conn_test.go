package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	c := fetch.New(scheme("a", connecting(nil, f)))
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
		{"a line that comes in one piece", "S: " + strings.Repeat("x", 101), func(c *fetch.Conn) error { _, err := c.ReadLine(); return err },
			fetch.ErrLimit},
		{"a line of the limit", "S: " + strings.Repeat("x", 100), func(c *fetch.Conn) error { _, err := c.ReadLine(); return err }, ""},
		{"a line of the limit whose end comes in two pieces", "S: " + strings.Repeat("x", 100) + "\\r\\\n*: [delay 10ms]\nS: \\n\\\n",
			func(c *fetch.Conn) error { _, err := c.ReadLine(); return err }, ""},
		{"a line that never ends", "S: " + strings.Repeat("x", 9000) + "\\", func(c *fetch.Conn) error { _, err := c.ReadLine(); return err },
			fetch.ErrLimit},
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
func TestStreamBeginsWhileReading(t *testing.T) { synctest.Test(t, streamBeginsWhileReading) }

func streamBeginsWhileReading(t *testing.T) {
	err := with(t, "*: [delay 50ms]\nS: x\\", idle(time.Hour), func(c *fetch.Conn) error { // longer than a body may be slow
		c.BeginReply()
		read := make(chan error)
		go func() {
			_, err := c.Read(make([]byte, 1))
			read <- err
		}()
		synctest.Wait() // until it waits
		c.BeginBody()
		return <-read
	})
	if err != nil {
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

// A document over the limit stops, however it is read and whether or not its size is known.
func TestPromise6LimitOfDocument(t *testing.T) {
	for _, tt := range []struct {
		size  int64
		limit int64
		want  fetch.Kind
	}{{-1, 10, ""}, {10, 10, ""}, {-1, 9, fetch.ErrLimit}, {10, 9, fetch.ErrLimit}, {-1, -1, ""}} {
		for _, copied := range []bool{false, true} {
			c := fetch.New(scheme("a", changed("0123456789", func(_ *fetch.Plan, d *fetch.Document) { d.Size = tt.size })))
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
