package http_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
)

// The body of a challenge is part of the reply to the request: it must not drip forever (promise 5).
func TestChallengeThatDrips(t *testing.T) { synctest.Test(t, challengeThatDrips) }

func challengeThatDrips(t *testing.T) {
	var served sync.WaitGroup
	defer served.Wait()
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		served.Go(func() {
			defer theirs.Close()
			if _, err := nethttp.ReadRequest(bufio.NewReader(theirs)); err != nil {
				return
			}
			_, err := io.WriteString(theirs, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 60000\r\n\r\n")
			for err == nil {
				time.Sleep(10 * time.Millisecond)
				_, err = io.WriteString(theirs, "x")
			}
		})
		return ours, nil
	}
	c.Timeouts = fetch.Timeouts{Idle: 300 * time.Millisecond, Total: 10 * time.Second}
	start := time.Now()
	_, _, err := get(t, c, "http://h/", &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}})
	if fetch.KindOf(err) != fetch.ErrTimeout || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v after %s, want %s of the reply", err, time.Since(start), fetch.ErrTimeout)
	}
}
