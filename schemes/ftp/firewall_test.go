package ftp_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/ftp/ftptest"
)

// A port is what a firewall does with a data connection.
type port int

const (
	open     port = iota
	slow          // answers, but later than the client waits at first
	filtered      // never answers
	refused       // never answers, and the client waits until the server has sent 425
)

// long is longer than the client waits at first, and shorter than Timeouts.Connect.
const long = 20 * time.Second

// arrangements is a loopback.Watcher that learns where the server offered a data connection last.
type arrangements struct{ last atomic.Pointer[arrangement] }

// An arrangement is a control connection. refused receives each reply 425.
type arrangement struct {
	all     *arrangements
	refused chan struct{}
}

func (a *arrangements) Connection(net.Conn, bool) loopback.Watched {
	return &arrangement{a, make(chan struct{}, 10)}
}

func (*arrangements) Datagram(net.Addr, byte, []byte) {}

func (a *arrangement) Data(dir byte, p []byte) {
	switch reply := string(p); {
	case dir == 'S' && (strings.HasPrefix(reply, "227 ") || strings.HasPrefix(reply, "229 ")):
		a.all.last.Store(a)
	case dir == 'S' && strings.HasPrefix(reply, "425 "):
		a.refused <- struct{}{}
	}
}

func (*arrangement) TLS(string) {}
func (*arrangement) Left()      {}
func (*arrangement) Ended()     {}
func (*arrangement) Closed()    {}

// firewalled puts a firewall before the server: the client's Nth data connection is to ports[N]. Later ones are open. The client's
// first, brief wait is in vain; a long one has its result at once. It returns the number of data connections.
func (l *setting) firewalled(ports ...port) *atomic.Int32 {
	var n atomic.Int32
	l.Timeouts.Connect = time.Hour
	var offers arrangements
	l.srv.Net.Watch(&offers)
	l.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != l.srv.Addr {
			if i := int(n.Add(1)) - 1; i < len(ports) && ports[i] != open {
				later, stop := context.WithTimeout(ctx, long)
				defer stop()
				if end, ok := ctx.Deadline(); ok {
					if first, _ := later.Deadline(); first.Equal(end) {
						<-ctx.Done()
						return nil, ctx.Err()
					}
				}
				switch ports[i] {
				case refused:
					<-offers.last.Load().refused
					return nil, context.DeadlineExceeded
				case filtered:
					return nil, context.DeadlineExceeded
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
	n := l.firewalled(filtered)
	want := site(t, "README.txt")
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
	for name, tt := range map[string]struct {
		f     ftptest.Faults
		ports []port
		want  fetch.Kind
		dials int32
	}{
		"PASV refused":      {ftptest.Faults{Reply: replies("PASV", "502 no")}, []port{filtered, slow}, "", 2},
		"PASV filtered":     {ftptest.Faults{}, []port{filtered, filtered, slow}, "", 3},
		"PASV refused late": {ftptest.Faults{}, []port{filtered, refused, filtered, slow}, "", 4}, // the second PASV follows the server's 425
		"all filtered":      {ftptest.Faults{}, []port{filtered, filtered, filtered}, fetch.ErrTimeout, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, &ftptest.Options{Faults: &tt.f})
			n := l.firewalled(tt.ports...)
			got, err := l.text(t, "/README.txt", nil)
			if fetch.KindOf(err) != tt.want || err == nil && got != site(t, "README.txt") || n.Load() != tt.dials {
				t.Errorf("got %d bytes, %v, %d data connections, want kind %q, %d; the server received %q",
					len(got), err, n.Load(), tt.want, tt.dials, l.srv.Transcript())
			}
		})
	}
}
