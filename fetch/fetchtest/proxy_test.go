package fetchtest

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// greeter says text to everybody and closes.
func greeter(t *testing.T, text string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, text)
			c.Close()
		}
	}()
	return ln.Addr().String()
}

func TestProxyFaults(t *testing.T) {
	text := strings.Repeat("0123456789", 100)
	target := greeter(t, text)
	for _, x := range []struct {
		name string
		f    Faults
		want string
		err  error
		slow time.Duration
	}{
		{"none", Faults{}, text, nil, 0},
		{"cut", Faults{CutAt: 15}, text[:15], nil, 0},
		{"refused", Faults{Refuse: true}, "", nil, 0},
		{"corrupt", Faults{CorruptAt: 1}, "0\xce" + text[2:], nil, 0},
		{"latency", Faults{Latency: 50 * time.Millisecond}, text, nil, 50 * time.Millisecond},
		{"rate", Faults{Rate: 10000}, text, nil, 90 * time.Millisecond},
		{"stall", Faults{StallAt: 15}, text[:15], errTimeout, 0},
		{"reset", Faults{CutAt: 1, Reset: true}, "", syscall.ECONNRESET, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			p, err := NewProxy(target, x.f)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			start := time.Now()
			got, err := hear(t, p.Addr)
			if x.err != syscall.ECONNRESET && string(got) != x.want {
				t.Errorf("%q came, not %q", got, x.want)
			}
			if x.err != nil && !errors.Is(err, x.err) || x.err == nil && err != nil {
				t.Errorf("the error is %v, not %v", err, x.err)
			}
			if took := time.Since(start); took < x.slow {
				t.Errorf("it took %s, less than %s", took, x.slow)
			}
			if p.Connections() != 1 {
				t.Errorf("%d connections", p.Connections())
			}
		})
	}
}

var errTimeout = errors.New("timeout")

func hear(t *testing.T, addr string) ([]byte, error) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err // a reset may be that fast
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(300 * time.Millisecond))
	b, err := io.ReadAll(c)
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		err = errTimeout
	}
	return b, err
}
