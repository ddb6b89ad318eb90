package schemetest

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
)

// Dialer returns a Dialer of connections in memory, each of which serve answers.
func Dialer(serve func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := fetchtest.Pipe()
		go func() {
			defer theirs.Close()
			serve(theirs)
		}()
		return ours, nil
	}
}

// An Ending is a host that sends Says, whatever the client sends, and then closes the connection or waits.
type Ending struct {
	Name, Says string
	Closes     bool
	Body       string // what the client gets; * is anything
	Kind       fetch.Kind
	Waits      time.Duration // how long the client waits for more
}

// Ends checks what a client gets from such hosts at uri. The connections are in memory and the time is that of testing/synctest, so that
// waiting for a host takes no time.
func Ends(t *testing.T, uri string, known []fetch.Scheme, hosts []Ending) {
	t.Helper()
	for _, x := range hosts {
		t.Run(x.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := fetch.New(known...)
				defer c.Close()
				c.Dialer = Dialer(loopback.Say(x.Says, x.Closes))
				began := time.Now()
				_, got, err := fetchtest.GetWith(t, c, uri, nil)
				if fetch.KindOf(err) != x.Kind || x.Body != "*" && got != x.Body {
					t.Errorf("got %q, %v, want %q, kind %q", got, err, x.Body, x.Kind)
				}
				if took := time.Since(began); took != x.Waits {
					t.Errorf("got a wait of %s, want %s", took, x.Waits)
				}
			})
		})
	}
}
