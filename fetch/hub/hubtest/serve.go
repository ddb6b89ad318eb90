//go:build unix || windows

package hubtest

import (
	"testing"
	"time"

	"example.org/deref/fetch/hub"
)

// Serve starts a hub in this process, which lasts as long as the test. addr may be "", for connections of this process only, or 127.0.0.1:0.
func Serve(t testing.TB, addr string) *hub.Server {
	t.Helper()
	s, err := hub.Serve(&hub.ServerOptions{Dir: t.TempDir(), Addr: addr, SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
