package ftp_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

// A port is what a firewall does with a data connection.
type port int

const (
	open     port = iota
	slow          // connects, but later than the client waits at first
	filtered      // never connects
)

// firewalled puts a firewall before the server: the client's Nth data connection is to ports[N]. Later ones are open. It returns the number of
// data connections.
func (l *setting) firewalled(ports ...port) *atomic.Int32 {
	var n atomic.Int32
	dial := l.Dialer
	l.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == l.srv.Addr {
			return dial(ctx, network, addr)
		}
		var connects <-chan time.Time
		switch i := int(n.Add(1)) - 1; {
		case i >= len(ports) || ports[i] == open:
			return dial(ctx, network, addr)
		case ports[i] == slow:
			connects = time.After(4 * time.Second)
		}
		select {
		case <-connects:
			return dial(ctx, network, addr)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &n
}

// TestFilteredEPSV checks that a firewall that drops packets to the ports of EPSV costs a second or two, once.
func TestFilteredEPSV(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, l *setting) {
		n := l.firewalled(filtered)
		want := site(t, "README.txt")
		began := time.Now()
		for i := range 2 {
			if got, err := l.text(t, "/README.txt", nil); got != want || err != nil {
				t.Errorf("request %d: got %d bytes, %v, want %d; the server received %q", i, len(got), err, len(want), l.srv.Transcript())
			}
		}
		if took := time.Since(began); n.Load() != 3 || took > 2*time.Second {
			t.Errorf("got %d data connections in %s, want 3 in at most 2s", n.Load(), took)
		}
	})
}

// TestSlowEPSV checks that EPSV has all of its time if PASV does not work either.
func TestSlowEPSV(t *testing.T) {
	const soon, late = 5 * time.Second, 15 * time.Second // before and after the server's 425
	for name, tt := range map[string]struct {
		f       ftptest.Faults
		ports   []port
		connect time.Duration
		want    fetch.Kind
		dials   int32
	}{
		"PASV refused":      {ftptest.Faults{Reply: replies("PASV", "502 no")}, []port{filtered, slow}, soon, "", 2},
		"PASV filtered":     {ftptest.Faults{}, []port{filtered, filtered, slow}, soon, "", 3},
		"PASV refused late": {ftptest.Faults{}, []port{filtered, filtered, filtered, slow}, late, "", 4}, // the second PASV follows the server's 425
		"all filtered":      {ftptest.Faults{}, []port{filtered, filtered, filtered}, soon, fetch.ErrTimeout, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, &ftptest.Options{Faults: &tt.f}, func(t *testing.T, l *setting) {
				n := l.firewalled(tt.ports...)
				l.Timeouts.Connect = tt.connect
				got, err := l.text(t, "/README.txt", nil)
				if fetch.KindOf(err) != tt.want || err == nil && got != site(t, "README.txt") || n.Load() != tt.dials {
					t.Errorf("got %d bytes, %v, %d data connections, want kind %q, %d; the server received %q",
						len(got), err, n.Load(), tt.want, tt.dials, l.srv.Transcript())
				}
			})
		})
	}
}
