package testservers

import (
	"io/fs"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// A Service is a server that has been started.
type Service struct {
	URL   string
	Addr  string // host:port
	Stop  func()
	watch func(loopback.Watcher) // makes a Watcher learn about new connections
}

// serving returns the Service of a server that a Listen function has started.
func serving(s *loopback.Server, err error) (Service, error) {
	if err != nil {
		return Service{}, err
	}
	return Service{s.URL, s.Addr, s.Close, s.Net.Watch}, nil
}

func startHTTP(fsys fs.FS, addr string) (Service, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return Service{}, err
	}
	s := &http.Server{Handler: http.FileServerFS(fsys), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	w := &watchedListener{Listener: l}
	go s.Serve(w)
	return Service{"http://" + l.Addr().String(), l.Addr().String(), func() { s.Close() }, func(to loopback.Watcher) { w.to.Store(&to) }}, nil
}

// A watchedListener makes a Watcher learn about the connections of a server of the standard library.
type watchedListener struct {
	net.Listener
	to atomic.Pointer[loopback.Watcher]
}

func (l *watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if to := l.to.Load(); err == nil && to != nil {
		c = loopback.Observe(c, *to, false)
	}
	return c, err
}
