package fetch_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

// A Body may be read in one goroutine and closed in another at any moment, while the rest of the bytes is traced.
func TestCloseWhileReadingLines(t *testing.T) {
	for n := range 20 {
		c := fetch.New(scheme("a", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			c, err := env.Dial(ctx, "tcp", p.Addr, nil)
			if err != nil {
				return nil, err
			}
			begun, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
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
			return fetch.NewDocument(nil), nil
		}}))
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
