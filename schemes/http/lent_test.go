package http

import (
	"bufio"
	"context"
	"io"
	"net/textproto"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// TestConnectionOfTheNextRequest: from the moment when a connection is returned, the next request may wait for its response on it. The
// limits and the deadline of that response must hold.
func TestConnectionOfTheNextRequest(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		size       int64
		read       func(x *exchange) error
	}{
		{"a chunked document", `5\r\nhello\r\n0\r\n\r\n\`, chunked, func(x *exchange) error {
			body, _ := x.body()
			_, err := io.Copy(io.Discard, body)
			return err
		}},
		{"the page of a challenge", `hello\`, 5, (*exchange).drain},
	} {
		script, err := dialogue.Parse("S: " + tt.body + "\nC: the next request\nS: H\\\n*: [end]\n")
		if err != nil {
			t.Fatal(err)
		}
		player, err := dialogue.NewPlayer(script, nil)
		if err != nil {
			t.Fatal(err)
		}
		run := func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
			if err != nil {
				return nil, err
			}
			s := &session{conn: c}
			s.in = bufio.NewReader(s)
			x := &exchange{s: s, ctx: ctx, env: env, size: tt.size, head: head{header: textproto.MIMEHeader{}}, done: func(bool) { c.BeginReply() }}
			if err := tt.read(x); err != nil {
				return nil, err
			}
			if err := c.Send(p.Steps...); err != nil {
				return nil, err
			}
			_, err = io.Copy(io.Discard, c)
			return nil, err
		}
		client := fetch.New(fetch.Scheme{Names: []string{"a"}, Does: fetch.Does{Retrieves: true}, Plan: func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Network: "tcp", Addr: "h:80", Steps: []fetch.Step{{Verb: "the next request"}}, Run: run}, nil
		}})
		player.Attach(client)
		if _, err := client.Get(t.Context(), uri.MustParse("a://h/"), nil); fetch.KindOf(err) != fetch.ErrTruncated {
			t.Errorf("%s: got %v, want the error of a reply that is cut", tt.name, err)
		}
		client.Close()
		if err := player.Close(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
