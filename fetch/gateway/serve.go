package gateway

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// Serve serves on l until ctx ends. Running requests then have ten seconds to end.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog:    log.New(io.Discard, "", 0), // errors of clients are not logged
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	done := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err := s.Shutdown(grace)
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.Close()
		}
		done <- err
	})
	err := s.Serve(l)
	if !stop() {
		return <-done
	}
	return err
}

// connKey is the context key for the connection of a request.
type connKey struct{}

// breaksOff makes an HTTP/1.0 response, which ends with its connection, end in a reset: that is the only way to signal truncation.
func breaksOff(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*net.TCPConn); ok && !r.ProtoAtLeast(1, 1) {
		c.SetLinger(0)
	}
}
