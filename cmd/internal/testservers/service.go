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

// of returns a function that starts a server by the Listen function of its kit.
func of[S loopback.Embedder, O any](listen func(fs.FS, *O) (S, error), options func(addr string) *O) func(fs.FS, string) (Service, error) {
	return func(fsys fs.FS, addr string) (Service, error) {
		s, err := loopback.Base(listen(fsys, options(addr)))
		if err != nil {
			return Service{}, err
		}
		return Service{s.URL, s.Addr, s.Close, s.Net.Watch}, nil
	}
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
