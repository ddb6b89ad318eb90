//go:build unix || windows

package hub

import (
	"crypto/tls"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
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
	s, err := server.NewServer(c)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the hub: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(10*time.Second) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fetch.Errorf(fetch.ErrLocal, "the hub could not start in %s", o.Dir)
	}
	return &Server{server: s, options: *o}, nil
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
