package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/uri"
)

// A slowEnd is a document of which the last reply comes when release is closed.
type slowEnd struct {
	ctx     context.Context
	release <-chan struct{}
	sent    bool
	ended   chan<- error
}

func (s *slowEnd) Read(p []byte) (int, error) {
	if !s.sent {
		s.sent = true
		return copy(p, "hello"), nil
	}
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-s.release:
		s.ended <- nil
		return 0, io.EOF
	}
}

func (s *slowEnd) Close() error {
	select {
	case s.ended <- io.ErrUnexpectedEOF:
	default:
	}
	return nil
}

// Once a reader has the whole document, the origin's last reply is awaited even if the reader has left: an archive would have a truncated
// capture otherwise.
func TestReaderLeavesBeforeTheLastReply(t *testing.T) {
	t.Parallel()
	left, ended := make(chan struct{}), make(chan error, 1)
	run := func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		d := fetch.NewDocument(&slowEnd{ctx: ctx, release: left, ended: ended})
		d.Size, d.Type = 5, "text/plain"
		return d, nil
	}
	c := fetch.New(fetch.Scheme{Names: []string{"slow"}, Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Shape: fetch.ShapeDocument, Run: run}, nil
	}})
	g := gateway.New(c, &gateway.Config{Allow: []string{"slow"}})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { close(left) })
		g.ServeHTTP(w, r)
	}))
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = "slow://h.example/x"
	transport := &http.Transport{DisableKeepAlives: true} // it leaves once it has the document
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "hello" {
		t.Fatalf("got %q, %v, want hello (%s)", b, err, resp.Status)
	}
	resp.Body.Close()
	if err := <-ended; err != nil {
		t.Errorf("got %v at the end, want the last reply", err)
	}
}
