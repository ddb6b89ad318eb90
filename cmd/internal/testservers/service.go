package testservers

import (
	"io/fs"
	"net"
	"net/http"
	"reflect"
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

// of returns a function that starts a server by the Listen function of its kit, whose Options have a field Addr.
func of[S loopback.Embedder, O any](listen func(fs.FS, *O) (S, error), options O) func(fs.FS, string) (Service, error) {
	return func(fsys fs.FS, addr string) (Service, error) {
		o := options
		reflect.ValueOf(&o).Elem().FieldByName("Addr").SetString(addr)
		s, err := loopback.Base(listen(fsys, &o))
		if err != nil {
			return Service{}, err
		}
		return Service{s.URL, s.Addr, s.Close, s.Net.Watch}, nil
	}
}

// under makes the URL of a server its address after a prefix.
func under(prefix string, start func(fs.FS, string) (Service, error)) func(fs.FS, string) (Service, error) {
	return func(fsys fs.FS, addr string) (Service, error) {
		s, err := start(fsys, addr)
		s.URL = prefix + s.Addr
		return s, err
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
