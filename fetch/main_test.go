package fetch_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"go.uber.org/goleak"

	"example.org/deref/fetch/fetchtest"
)

// No test of this package leaves a goroutine running.
func TestMain(m *testing.M) {
	resolveOnce()
	fetchtest.Overlap()
	goleak.VerifyTestMain(m)
}

// resolveOnce makes package net read the system's DNS configuration, which contains a channel. If the channel were made in a synctest
// bubble, no other test could look up a name.
func resolveOnce() {
	nowhere := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no name server") }
	r := &net.Resolver{PreferGo: true, Dial: nowhere}
	r.LookupHost(context.Background(), "h.invalid")
}
