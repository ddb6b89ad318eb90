package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/gateway"
	"example.org/deref/uri"
)

// TestStalledClients: a client that does not read its response, or does not send all of its request, ends. One that reads gets the end of a
// document that is late.
func TestStalledClients(t *testing.T) {
	endless := fetch.Scheme{Names: []string{"endless"}, Does: fetch.Does{Retrieves: true}}
	endless.Plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Run: func(ctx context.Context, _ *fetch.Plan, _ *fetch.Env) (*fetch.Document, error) {
			d := fetch.NewDocument(io.NopCloser(untilDone{ctx}))
			if u.Path() == "/late" {
				d = fetch.NewDocument(io.NopCloser(io.MultiReader(strings.NewReader("x"), lateEnd{})))
			}
			d.Type = "text/plain"
			return d, nil
		}}, nil
	}
	for name, request := range map[string]string{
		"late":    "GET endless://h/late HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
		"a page":  "GET /endless/h/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a proxy": "GET endless://h/x HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, ended := gateway.New(fetch.New(endless), nil), make(chan struct{})
				network := &fetchtest.Network{}
				l, err := network.Listen("tcp", "127.0.0.1:80")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() {
					served <- gateway.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						defer close(ended)
						g.ServeHTTP(w, r)
					}))
				}()
				conn, err := network.Dial(ctx, "tcp", netip.Addr{}, "127.0.0.1:80")
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(conn, request)
				if name == "late" {
					if got, _ := io.ReadAll(conn); !strings.HasSuffix(string(got), "1\r\nx\r\n0\r\n\r\n") {
						t.Errorf("got %q, want the end of the chunks", got)
					}
				}
				<-ended
				conn.Close()
				cancel()
				<-served
			})
		})
	}
}

// lateEnd is empty, which takes minutes to know.
type lateEnd struct{}

func (lateEnd) Read([]byte) (int, error) {
	<-time.After(5 * time.Minute)
	return 0, io.EOF
}

// untilDone is as long as its context lasts.
type untilDone struct{ ctx context.Context }

func (b untilDone) Read(p []byte) (int, error) { return copy(p, "line\n"), b.ctx.Err() }
