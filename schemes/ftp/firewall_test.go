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

// firewalled makes the client's Nth data connection wait for waits[N] or, if that is negative, until the client gives it up. Later ones
// do not wait. It returns the number of data connections.
func (l *setting) firewalled(waits ...time.Duration) *atomic.Int32 {
	var n atomic.Int32
	l.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != l.srv.Addr {
			if i := int(n.Add(1)) - 1; i < len(waits) {
				var open <-chan time.Time
				if waits[i] >= 0 {
					open = time.After(waits[i])
				}
				select {
				case <-open:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	return &n
}

// TestFilteredEPSV checks that a firewall that drops packets to the ports of EPSV costs a second or two, once.
func TestFilteredEPSV(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for ports that are filtered")
	}
	l := newLab(t, nil)
	n := l.firewalled(-1)
	want := site(t, "README.txt")
	l.Timeouts.Connect = time.Hour // the port is abandoned long before
	for i := range 2 {
		if got, err := l.text(t, "/README.txt", nil); got != want || err != nil {
			t.Errorf("request %d: got %d bytes, %v, want %d; the server received %q", i, len(got), err, len(want), l.srv.Transcript())
		}
	}
	if n.Load() != 3 {
		t.Errorf("got %d data connections, want 3", n.Load())
	}
}

// TestSlowEPSV checks that EPSV has all of its time if PASV does not work either.
func TestSlowEPSV(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for ports that are filtered")
	}
	const slow = 1800 * time.Millisecond
	for name, tt := range map[string]struct {
		f     ftptest.Faults
		waits []time.Duration
		want  fetch.Kind
		dials int32
	}{
		"PASV refused":  {ftptest.Faults{Reply: replies("PASV", "502 no")}, []time.Duration{-1, slow}, "", 2},
		"PASV filtered": {ftptest.Faults{}, []time.Duration{-1, -1, -1, slow}, "", 4}, // the second PASV follows the server's 425
		"all filtered":  {ftptest.Faults{}, []time.Duration{-1, -1, -1, -1, -1}, fetch.ErrTimeout, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, &ftptest.Options{Faults: &tt.f})
			l.Timeouts.Connect = 2700 * time.Millisecond // less than the server waits
			n := l.firewalled(tt.waits...)
			got, err := l.text(t, "/README.txt", nil)
			if fetch.KindOf(err) != tt.want || err == nil && got != site(t, "README.txt") || n.Load() != tt.dials {
				t.Errorf("got %d bytes, %v, %d data connections, want kind %q, %d; the server received %q",
					len(got), err, n.Load(), tt.want, tt.dials, l.srv.Transcript())
			}
		})
	}
}
