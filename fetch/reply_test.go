package fetch_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

// The meaning of the peer's close depends on the mode and on whether the reply has begun.
func TestPromise1EndOfReply(t *testing.T) {
	read := func(c *fetch.Conn) error {
		_, err := io.Copy(io.Discard, struct{ io.Reader }{c})
		return err
	}
	line := func(c *fetch.Conn) error {
		_, err := c.ReadLine()
		return err
	}
	for _, x := range []struct {
		name, script string
		f            func(c *fetch.Conn) error
		want         fetch.Kind // "" is an orderly end
	}{
		{"no reply", "*: [end]", func(c *fetch.Conn) error { c.BeginReply(); return line(c) }, fetch.ErrConnection},
		{"no reply, read", "*: [end]", func(c *fetch.Conn) error { c.BeginReply(); return read(c) }, fetch.ErrConnection},
		{"no reply, reset", "*: [cut]", func(c *fetch.Conn) error { c.BeginReply(); return line(c) }, fetch.ErrConnection},
		{"half a line", "S: 22\\\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); return line(c) }, fetch.ErrTruncated},
		{"half a reply", "S: 220-a\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); line(c); return line(c) }, fetch.ErrTruncated},
		{"half a reply, read", "S: 220-a\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); return read(c) }, fetch.ErrTruncated},
		{"half a reply, reset", "S: 220-a\n*: [cut]", func(c *fetch.Conn) error { c.BeginReply(); return read(c) }, fetch.ErrTruncated},
		{"no second reply", "S: 220 a\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); line(c); c.BeginReply(); return line(c) },
			fetch.ErrConnection},
		{"half a second reply, sent with the first", "S: 220 a\\r\\n22\\\n*: [end]",
			func(c *fetch.Conn) error { c.BeginReply(); line(c); c.BeginReply(); return line(c) }, fetch.ErrTruncated},
		{"no further part", "S: 220 a\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); line(c); c.BeginPart(); return line(c) },
			fetch.ErrTruncated},
		{"no part at all", "*: [end]", func(c *fetch.Conn) error { c.BeginReply(); c.BeginPart(); return line(c) }, fetch.ErrConnection},
		{"empty body after a reply", "S: 220 a\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); line(c); c.BeginBody(); return read(c) },
			""},
		{"empty body for a reply", "*: [end]", func(c *fetch.Conn) error { c.BeginReply(); c.BeginBody(); return read(c) }, fetch.ErrConnection},
		{"body for a reply", "S: a\n*: [end]", func(c *fetch.Conn) error { c.BeginReply(); c.BeginBody(); return read(c) }, ""},
		{"body", "*: [end]", read, ""},
		{"no screen", "*: [end]", func(c *fetch.Conn) error { c.BeginUntilClose(); return read(c) }, fetch.ErrConnection},
		{"screen", "S: login:\n*: [end]", func(c *fetch.Conn) error { c.BeginUntilClose(); return read(c) }, ""},
		{"TLS, no reply, no close_notify", "*: [TLS]\nC: x\n*: [cut]",
			func(c *fetch.Conn) error { io.WriteString(c, "x\r\n"); c.BeginReply(); return line(c) }, fetch.ErrConnection},
		{"TLS, no reply", "*: [TLS]\nC: x\n*: [end]", func(c *fetch.Conn) error { io.WriteString(c, "x\r\n"); c.BeginReply(); return line(c) },
			fetch.ErrConnection},
		{"TLS, no close_notify", "*: [TLS]\nS: a\n*: [cut]", func(c *fetch.Conn) error { c.BeginReply(); c.BeginBody(); return read(c) },
			fetch.ErrTruncated},
	} {
		t.Run(x.name, func(t *testing.T) {
			var got error
			c := fetch.New(scheme("a", connecting(&fetch.DialOptions{TLS: strings.Contains(x.script, "TLS")}, func(c *fetch.Conn) error {
				got = x.f(c)
				return nil
			})))
			play(t, c, "*: [connected]\n"+x.script)
			get(t, c, "a://h.example/", nil)
			if fetch.KindOf(got) != x.want {
				t.Errorf("got %q (%v), want %q", fetch.KindOf(got), got, x.want)
			}
			if errors.Is(got, io.EOF) && x.want != "" {
				t.Errorf("got an error that is io.EOF, want one that no reader takes for an orderly end: %v", got)
			}
		})
	}
}
