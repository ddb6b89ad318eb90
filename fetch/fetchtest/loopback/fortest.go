package loopback

import "net"

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

// Unused returns the host and port of an address of this machine where no server listens.
func Unused(t TB) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", orFree(""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
