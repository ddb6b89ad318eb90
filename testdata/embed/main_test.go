package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

func TestRun(t *testing.T) {
	srv := gophertest.NewServer(fstest.MapFS{"hello.txt": {Data: []byte("hello\n")}}, nil)
	defer srv.Close()
	var b strings.Builder
	if err := run(t.Context(), srv.URL+"/0/hello.txt", &b); err != nil || b.String() != "hello\r\n" {
		t.Errorf("got %q, %v, want %q", b.String(), err, "hello\r\n")
	}
	if err := run(t.Context(), srv.URL+"/0/none", io.Discard); explain(err) != "no such document" {
		t.Errorf("got %v, want notfound", err)
	}
}

func TestDeadline(t *testing.T) {
	srv := gophertest.NewServer(fstest.MapFS{}, &gophertest.Options{Faults: &gophertest.Faults{Stall: true}})
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := run(ctx, srv.URL+"/0/slow", io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

// TestGuard: without an allowed network, the client does not connect to this machine.
func TestGuard(t *testing.T) {
	srv := gophertest.NewServer(fstest.MapFS{}, nil)
	defer srv.Close()
	_, err := client().Get(t.Context(), uri.MustParse(srv.URL+"/0/x"), nil)
	if !errors.Is(err, fetch.ErrDenied) || srv.Sessions() != 0 {
		t.Errorf("got %v and %d connections, want denied and none", err, srv.Sessions())
	}
}
