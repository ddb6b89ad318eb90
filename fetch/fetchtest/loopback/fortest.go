package loopback

import (
	"math/rand/v2"
	"net"
	"strconv"
	"time"
)

// A TB is a *testing.T, *testing.B or *testing.F. This package does not import testing, since its servers also run in programs.
type TB interface {
	Helper()
	Fatal(args ...any)
	Cleanup(func())
}

// ForTest starts a server that ends with the test, and returns its host and port. It calls serve as Listen does.
func ForTest(t TB, serve func(net.Conn)) (addr string) {
	t.Helper()
	l, err := Listen("", serve)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr()
}

// Until waits for what another process or the system brings about without an event, by calling f again and again. A wait in vain fails the test
// shortly before the go command ends all tests.
func Until(t TB, what string, f func() bool) {
	t.Helper()
	limit := time.Hour
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := t.Deadline(); ok {
			limit = time.Until(end) - 10*time.Second
		}
	}
	if !Poll(limit, f) {
		t.Fatal("got no " + what + " until the deadline of the tests")
	}
}

// Pause waits for a random time up to longest. It is the delay of a distant server, or the time until a process is killed: no assertion may
// depend on its length.
func Pause(longest time.Duration) { time.Sleep(rand.N(longest)) }

// Reserve returns the host and port of a TCP address of this machine that refuses connections until the test ends, except while a server of
// the test, or of a program that it starts, listens there. It is for servers that cannot be reached, and for a server that ends and another
// one that takes its place: without it, another process could take the port in between. Systems other than Linux cannot prevent that.
func Reserve(t TB) (addr string) {
	t.Helper()
	port, release, err := reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
