//go:build unix || windows

package hub

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
)

// ServerOptions controls a Server.
type ServerOptions struct {
	Dir  string // for the streams
	Addr string // host:port; "" accepts connections of this process only. Port 0 is any free port
	// Secure requires TLS and a token of every client; URL contains both. They are created in Dir at the first time. Without it, the address
	// must be one of loopback.
	Secure bool

	// SyncInterval is how often messages are synced. 0 syncs each before it is acknowledged; otherwise a crash of the system, but not that of
	// the process, may lose those of this time.
	SyncInterval time.Duration

	// Report is called if the server cannot write, for example because the disk is full; may be nil. It accepts messages again once it can.
	Report func(problem string)
}

// A Server is a NATS server in this process.
type Server struct {
	server   *server.Server
	said     said
	dir      string
	identity *identity          // nil if it is not secure
	lock     *os.File           // one process at a time may use the directory
	stop     context.CancelFunc // ends healer
	healer   sync.WaitGroup
}

const (
	maxPayload = maxRecord + 64<<10 // has room for the longest record and the header of its message

	// maxStore is larger than any disk. The default is three quarters of what is free at the start: a hub whose streams have more than that would
	// accept nothing after it was started again.
	maxStore = 1 << 60
)

// Serve starts a server, which prints nothing. If another process uses the directory, the error is ErrInUse.
func Serve(o *ServerOptions) (_ *Server, err error) {
	c := &server.Options{ServerName: "deref-hub", JetStream: true, StoreDir: o.Dir, SyncAlways: o.SyncInterval == 0, SyncInterval: o.SyncInterval,
		JetStreamMaxStore: maxStore, NoSigs: true, MaxPayload: maxPayload, DontListen: o.Addr == "", TLSTimeout: 30}
	if o.Addr != "" {
		if err := listen(c, o); err != nil {
			return nil, err
		}
	}
	s := &Server{dir: o.Dir}
	if s.lock, err = lockDir(o.Dir); err != nil {
		return nil, err
	}
	if err := s.start(c, o); err != nil {
		lock.Close(s.lock)
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.healer.Go(func() { s.heal(ctx, c, o.Report) })
	return s, nil
}

// healthEvery is the time between two looks at the health of the server.
const healthEvery = time.Second

// heal opens the streams again after the server could not write to one, for example because the disk was full. Without that, a stream rejects
// everything until the end of the process.
func (s *Server) heal(ctx context.Context, c *server.Options, report func(problem string)) {
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		problem := s.Problem()
		if problem == "" {
			continue
		}
		if report != nil && problem != last {
			last = problem
			report(problem)
		}
		s.server.ShutdownJetStream()
		// After an error, for example since the disk is still full, JetStream remains off until the next attempt.
		if err := s.server.EnableJetStream(&server.JetStreamConfig{StoreDir: c.StoreDir, MaxStore: c.JetStreamMaxStore}); err != nil {
			s.said.Errorf("%v", err)
		}
	}
}

// Free returns how many bytes the disk of the streams has left.
func (s *Server) Free() (int64, error) {
	n, err := freeIn(s.dir)
	if err != nil {
		return 0, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return n, nil
}

// Problem returns why the server cannot write, or "".
func (s *Server) Problem() string {
	if !s.server.JetStreamEnabled() {
		text, _ := s.said.problem()
		return "the streams could not be opened again: " + text
	}
	for _, e := range s.server.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if strings.Contains(e.Error, "write error") { // others, such as a stream that is just being created, do not end by opening all streams again
			return e.Error
		}
	}
	return ""
}

// listen sets the address of a server.
func listen(c *server.Options, o *ServerOptions) error {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if !o.Secure && host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return fetch.Errorf(fetch.ErrDenied, "%s: the hub listens beyond loopback only with TLS and a token", o.Addr)
	}
	if c.Host = host; host == "" {
		c.Host = "0.0.0.0"
	}
	if port == "0" {
		c.Port = server.RANDOM_PORT
	} else if c.Port, err = strconv.Atoi(port); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%s: %w", o.Addr, err)
	}
	l, err := net.Listen("tcp", o.Addr) // the server of NATS would try for a minute, and not tell the reason
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return wrap(l.Close())
}

func (s *Server) start(c *server.Options, o *ServerOptions) (err error) {
	if o.Secure {
		if s.identity, err = openIdentity(o.Dir); err != nil {
			return err
		}
		c.Authorization, c.TLSConfig = s.identity.token, s.identity.config()
	}
	if s.server, err = server.NewServer(c); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the hub: %w", err)
	}
	s.server.SetLogger(&s.said, false, false)
	s.server.Start()
	if _, fatal := s.said.problem(); fatal || !s.server.ReadyForConnections(startTime) || !s.server.JetStreamEnabled() {
		s.server.Shutdown()
		return s.Explain(fetch.Errorf(fetch.ErrLocal, "the hub could not start in %s", o.Dir))
	}
	return nil
}

// Explain adds to an error of a client what the server says of it. Otherwise clients only learn that something was not possible.
func (s *Server) Explain(err error) error {
	text, _ := s.said.problem()
	if kind := fetch.KindOf(err); text != "" && (kind == fetch.ErrLocal || kind == fetch.ErrTimeout) {
		return fetch.Errorf(kind, "%w: %s", err, text)
	}
	return err
}

// ErrInUse means that another process uses the directory of a server.
var ErrInUse error = lock.ErrHeld

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
	if _, err := lock.File(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// URL returns the address for Dial in other processes. Who has that of a secure server can read and change all jobs. host, if not "", replaces
// the host of the address on which the server listens, which may be all of the machine's.
func (s *Server) URL(host string) string {
	u, err := url.Parse(s.server.ClientURL())
	if err != nil {
		return "" // it does not listen
	}
	if host != "" {
		u.Host = net.JoinHostPort(host, u.Port())
	}
	if s.identity != nil {
		s.identity.inURL(u)
	}
	return u.String()
}

// Connect returns a connection within this process.
func (s *Server) Connect() (*nats.Conn, error) {
	o := []nats.Option{nats.InProcessServer(s.server)}
	if s.identity != nil {
		o = append(o, nats.Token(s.identity.token))
	}
	c, err := dial("", o...)
	return c, dialError(err, "this process")
}

// Close stops the server.
func (s *Server) Close() {
	s.stop()
	s.healer.Wait()
	s.server.Shutdown()
	s.server.WaitForShutdown()
	lock.Close(s.lock)
}
