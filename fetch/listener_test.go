package fetch_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

// A distant is a connection to another address.
type distant struct {
	net.Conn
	at *net.TCPAddr
}

func (d distant) RemoteAddr() net.Addr { return d.at }

// lateListener is a listener whose Accept returns a connection from.at at once, or when it is closed.
type lateListener struct {
	from   distant
	late   bool
	closed context.Context
	close  context.CancelFunc
}

func (l lateListener) Accept() (net.Conn, error) {
	if l.late {
		<-l.closed.Done()
	}
	return l.from, nil
}

func (l lateListener) Close() error   { l.close(); return nil }
func (l lateListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv6loopback, Port: 1} }

// TestListener: the connection of the server is accepted, also at a link-local address, and one that arrives at the deadline is not lost.
func TestListener(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := &net.TCPAddr{IP: net.ParseIP("fe80::1"), Port: 20, Zone: "eth0"}
			c := fetch.New(scheme("a", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
				near, err := env.Dial(ctx, "tcp", p.Addr, nil)
				if err != nil {
					return nil, err
				}
				l, err := env.Accept(ctx, near)
				if err != nil {
					return nil, err
				}
				data, err := l.Wait(ctx, nil)
				if err != nil {
					return nil, err
				}
				return fetch.NewDocument(data), nil
			}}))
			c.Dialer = func(context.Context, string, string) (net.Conn, error) {
				near, _ := fetchtest.Pipe()
				return distant{near, server}, nil
			}
			near, far := fetchtest.Pipe()
			far.Write([]byte("data"))
			far.CloseWrite()
			c.Listener = func(net.Conn) (net.Listener, error) {
				closed, closeIt := context.WithCancel(t.Context())
				return lateListener{distant{near, server}, late, closed, closeIt}, nil
			}
			if got, err := get(t, c, "a://[fe80::1%25eth0]/", nil); got != "data" || err != nil {
				t.Errorf("late %t: got %q, %v; want data", late, got, err)
			}
			if !far.HungUp() {
				t.Errorf("late %t: the connection is still open", late)
			}
		})
	}
}
