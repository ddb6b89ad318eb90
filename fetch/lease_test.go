package fetch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// lateLine is a Body that reads its line from the connection only when Read is called.
type lateLine struct {
	session
	done func(bool)
	over bool
}

func (b *lateLine) Read(p []byte) (int, error) {
	if b.over {
		return 0, io.EOF
	}
	line, err := b.ReadLine()
	b.over = true
	b.done(err == nil)
	return copy(p, line), err
}

func (b *lateLine) Close() error {
	b.done(false)
	return nil
}

// Closing a Document whose session already serves another request must not end the session.
func TestClosingLateLeavesTheNextLease(t *testing.T) {
	c := fetch.New(scheme("a", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		s, done, err := fetch.Lease(ctx, env, "", func(ctx context.Context) (session, error) {
			c, err := env.Dial(ctx, "tcp", p.Addr, nil)
			return session{c}, err
		})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(s, "%s\r\n", p.URI.Path())
		return fetch.NewDocument(&lateLine{session: s, done: done}), nil
	}}))
	defer c.Close()
	play(t, c, "C: /1\nS: one\nC: /2\nS: two")
	first := mustGet(t, c, "a://h/1", nil)
	if b, err := io.ReadAll(first.Body); string(b) != "one" || err != nil {
		t.Fatalf("got %q, %v, want one", b, err)
	}
	second := mustGet(t, c, "a://h/2", nil)
	first.Body.Close()
	if b, err := io.ReadAll(second.Body); string(b) != "two" || err != nil {
		t.Errorf("got %q, %v, want two", b, err)
	}
	second.Body.Close()
}

// A real connection that the server has closed is dropped from the pool, too: the kernel reports its state.
func TestPoolDropsTheStaleOfTheSystem(t *testing.T) {
	closed := make(chan struct{}, 2)
	addr := loopback.ForTest(t, func(c net.Conn) {
		io.WriteString(c, "ready\r\n")
		c.Read(make([]byte, 100))
		io.WriteString(c, "answer\r\n")
		c.Close()
		closed <- struct{}{}
	})
	c := fetch.New(scheme("a", leasing("", true)))
	for range 2 {
		if body, err := get(t, c, "a://"+addr+"/1", nil); err != nil || body != "answer" {
			t.Errorf("got %q, %v, want answer", body, err)
		}
		<-closed
	}
	c.Close()
}
