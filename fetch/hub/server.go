//go:build unix || windows

package hub

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/filelock"
)

// ServerOptions controls a Server.
type ServerOptions struct {
	Dir   string      // for the streams
	Addr  string      // host:port; "" accepts connections of this process only. Port 0 is any free port
	Token string      // that clients must know; "" accepts all
	TLS   *tls.Config // with a certificate; nil is no TLS

	// SyncInterval is how often messages are synced. 0 syncs each before it is acknowledged; otherwise a crash of the system, but not that of
	// the process, may lose those of this time.
	SyncInterval time.Duration
}

// A Server is a NATS server in this process.
type Server struct {
	server  *server.Server
	options ServerOptions
	lock    *os.File // one process at a time may use the directory
}

// maxPayload has room for the longest record and the header of its message.
const maxPayload = maxRecord + 64<<10

// Serve starts a server, which prints nothing.
func Serve(o *ServerOptions) (*Server, error) {
	c := &server.Options{ServerName: "deref-hub", JetStream: true, StoreDir: o.Dir, SyncAlways: o.SyncInterval == 0, SyncInterval: o.SyncInterval, NoSigs: true, NoLog: true, MaxPayload: maxPayload,
		Authorization: o.Token, DontListen: o.Addr == "", TLSConfig: o.TLS, TLSTimeout: 5}
	if o.Addr != "" {
		host, port, err := net.SplitHostPort(o.Addr)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		if c.Host = host; port == "0" {
			c.Port = server.RANDOM_PORT
		} else if c.Port, err = strconv.Atoi(port); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", o.Addr, err)
		}
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(c)
	if err != nil {
		lock.Close()
		return nil, fetch.Errorf(fetch.ErrLocal, "the hub: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(startTime) || !s.JetStreamEnabled() {
		s.Shutdown()
		lock.Close()
		return nil, fetch.Errorf(fetch.ErrLocal, "the hub could not start in %s", o.Dir)
	}
	return &Server{server: s, options: *o, lock: lock}, nil
}

// startTime is how long a server may take to read its streams.
const startTime = time.Minute

// lockDir creates a directory, and locks it: two servers would destroy each other's streams.
func lockDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil { // a URI may hold a secret
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if held, _ := filelock.Lock(f); !held {
		f.Close()
		return nil, fetch.Errorf(fetch.ErrLocal, "%s is in use by another process", dir)
	}
	return f, nil
}

// URL returns the address for other processes.
func (s *Server) URL() string { return s.server.ClientURL() }

// Connect returns a connection within this process.
func (s *Server) Connect() (*nats.Conn, error) {
	return dial("", nats.InProcessServer(s.server), nats.Token(s.options.Token))
}

// Close stops the server.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.lock.Close()
}

// Dial connects to a server. The connection is restored whenever it breaks; requests fail in the meantime.
func Dial(url string, o ...nats.Option) (*nats.Conn, error) { return dial(url, o...) }

func dial(url string, o ...nats.Option) (*nats.Conn, error) {
	// Without a buffer: a message that was written after its request has failed would be a surprise.
	o = append([]nats.Option{nats.Name("derefd"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, o...)
	c, err := nats.Connect(url, o...)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the hub: %w", err)
	}
	return c, nil
}
