package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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

// A Body may be read in one goroutine and closed in another at any moment, while the rest of the bytes is traced.
func TestCloseWhileReadingLines(t *testing.T) {
	for n := range 20 {
		c := fetch.New(scheme("a", connecting(nil, func(c *fetch.Conn) error {
			begun, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				var err error
				for i := 0; err == nil; i++ {
					if i == n {
						close(begun)
					}
					_, err = c.ReadLine()
				}
			}()
			<-begun
			c.Close()
			<-done
			return nil
		})))
		play(t, c, strings.Repeat("S: a line\n", 300)+"*: [end]")
		if _, err := get(t, c, "a://h/", &fetch.Options{Trace: func(fetch.Event) {}}); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}

// What Peek has returned is read again. It is in the trace once: as a reply or document when it is read, or at the end of the connection.
func TestPeek(t *testing.T) {
	for _, tt := range []struct {
		script, peeked, body string
		n                    int
		discard              bool
		end                  error
		trace                string
	}{
		{"S: +4\nS: 1234\\\n*: [end]", "+4\r\n1234", "1234", 8, false, nil, `"+4\r\n" false;"1234" true;`},
		{"S: +4\nS: 1234\\\n*: [end]", "+4\r\n1234", "1234", 8, true, nil, `"+4\r\n" false;"1234" true;`},
		{"S: +4\nS: 1234\\\n*: [end]", "+4\r\n1234", "1234", 100, false, io.EOF, `"+4\r\n" false;"1234" false;`},
	} {
		var trace strings.Builder
		c := fetch.New(scheme("a", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
			if err != nil {
				return nil, err
			}
			c.BeginUntilClose()
			if b, err := c.Peek(tt.n); string(b) != tt.peeked || err != tt.end {
				t.Errorf("peek at %d: got %q, %v, want %q, %v", tt.n, b, err, tt.peeked, tt.end)
			}
			if tt.discard {
				if n, err := c.Discard(4); n != 4 || err != nil {
					t.Errorf("discard: got %d, %v, want 4", n, err)
				}
			} else if line, err := c.ReadLine(); string(line) != "+4" || err != nil {
				t.Errorf("line: got %q, %v, want +4", line, err)
			}
			c.BeginBody()
			return fetch.NewDocument(c), nil
		}}))
		play(t, c, tt.script)
		body, err := get(t, c, "a://h/", &fetch.Options{Trace: func(e fetch.Event) {
			if e.Dir == fetch.FromServer {
				fmt.Fprintf(&trace, "%q %v;", e.Data, e.Body)
			}
		}})
		if body != tt.body || err != nil {
			t.Errorf("got the body %q, %v, want %q", body, err, tt.body)
		}
		if got := trace.String(); got != tt.trace {
			t.Errorf("peek at %d: got the trace %s, want %s", tt.n, got, tt.trace)
		}
	}
}

// toyFrame decodes frames of a length in two bytes and a text.
func toyFrame(f fetch.Frame) (string, int) {
	if len(f.Data) < 2 {
		return "", 0
	}
	n := 2 + int(f.Data[0])<<16 + int(f.Data[1])
	switch {
	case f.Data[0] == 0xff:
		return "", -1
	case n > len(f.Data) && len(f.Data) < fetch.MaxFrame:
		return "", n
	case n > 100:
		return "long", n
	}
	return string(f.Data[2:n]), n
}

func TestFramer(t *testing.T) {
	long := "\x01\x00" + strings.Repeat("x", 1<<16)
	for _, x := range []struct {
		in   string
		want []string
	}{
		{"\x00\x02hi\x00\x00\x00\x03a\x1bb", []string{"hi", `a\x1bb`}},
		{"\x00\x05hal", nil},
		{"\x00\x02a\xff\x00\x02\xc3\xa4", []string{`a\xff`, "ä"}},
		{long + "\x00\x02hi", []string{"long", "hi"}}, // only the beginning of a long frame is kept
		{"\x00\x02hi\xff\x00\x00\x02hi", []string{"hi"}},
	} {
		for _, size := range []int{1, 3, len(x.in)} {
			if len(x.in) > 1000 && size == 1 {
				size = 1000
			}
			var f fetch.Framer
			var got []string
			for p := range slices.Chunk([]byte(x.in), size) {
				got = append(got, f.Decode(toyFrame, fetch.FromServer, p)...)
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("%.30q in pieces of %d: got %q, want %q", x.in, size, got, x.want)
			}
		}
	}
}
