package schemes_test

import (
	"context"
	"crypto/tls"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/testdata"
)

// A line is a network whose open connections can die silently.
type line struct {
	fetchtest.Network
	mu    sync.Mutex
	conns []*muted
	tried atomic.Int32 // writes to dead connections
}

// muted is a connection that can die silently: nothing arrives at either end any more, and neither gets an error.
type muted struct {
	net.Conn
	line *line
	mu   sync.Mutex
	dead net.Conn // a pipe whose other end nobody uses
}

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	nc, err := l.Dial(ctx, network, netip.Addr{}, addr)
	if err != nil {
		return nil, err
	}
	c := &muted{Conn: nc, line: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, c)
	return c, nil
}

// die lets all present connections die, and returns how many there were.
func (l *line) die() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		c.mu.Lock()
		c.dead, _ = fetchtest.Pipe()
		c.mu.Unlock()
	}
	n := len(l.conns)
	l.conns = nil
	return n
}

func (c *muted) now() net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return c.dead
	}
	return c.Conn
}

func (c *muted) Read(p []byte) (int, error) { return c.now().Read(p) }

func (c *muted) Write(p []byte) (int, error) {
	to := c.now()
	if to != c.Conn {
		c.line.tried.Add(1)
	}
	return to.Write(p)
}

func (c *muted) SetReadDeadline(t time.Time) error {
	c.Conn.SetReadDeadline(t) // HTTP/2 reads all the time
	return c.now().SetReadDeadline(t)
}

func (c *muted) SetWriteDeadline(t time.Time) error { return c.now().SetWriteDeadline(t) }

func (c *muted) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *muted) Close() error {
	c.mu.Lock()
	if c.dead != nil {
		c.dead.Close()
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// In every scheme that reuses connections, a request on one that has died silently is soon repeated on a new connection.
func TestSilentKeptConnections(t *testing.T) {
	site := testdata.Site()
	for name, start := range map[string]func(on *fetchtest.Network) (s interface{ Close() }, uri string){
		"ftp": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := ftptest.NewServer(site, &ftptest.Options{Network: on})
			return s, s.URL + "/README.txt"
		},
		"http": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := web(on)
			s.Start()
			return s, s.URL + "/README.txt"
		},
		"http2": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := web(on)
			s.EnableHTTP2 = true
			s.StartTLS()
			return s, s.URL + "/README.txt"
		},
		"imap": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := loopback.Must(mailtest.ListenIMAP(site, &mailtest.Options{Network: on}))
			return s, s.URL + "/INBOX"
		},
		"ldap": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := ldaptest.NewServer(site, &ldaptest.Options{Network: on})
			return s, s.URL + "/o=site?o?one"
		},
		"news": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := newstest.NewServer(site, &newstest.Options{Network: on})
			return s, s.URL + "/lab.dots/1"
		},
		"wais": func(on *fetchtest.Network) (interface{ Close() }, string) {
			s := waistest.NewServer(site, &waistest.Options{Network: on})
			return s, s.URL + "/site?owl"
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &line{}
				s, address := start(&l.Network)
				defer s.Close()
				c := fetch.New(schemes.All(nil)...)
				defer c.Close()
				l.Attach(c)
				c.Dialer = l.dial
				c.Timeouts.Idle = time.Hour // which the client does not wait for
				c.TLS = &tls.Config{InsecureSkipVerify: true}
				o := &fetch.Options{}
				switch name {
				case "http2":
					o.Set = map[string][]string{"http.version": {"2"}}
				case "imap":
					o.Login = fetch.Login{User: mailtest.Plain, Password: mailtest.PlainPassword, Set: true}
				}
				get := func() string {
					_, body, err := fetchtest.GetWith(t, c, address, o)
					if err != nil {
						t.Fatal(err)
					}
					return body
				}
				want := get()
				get() // ftp keeps its connection from the second document on
				if n := l.die(); n == 0 {
					t.Fatal("no connection was made")
				}
				time.Sleep(time.Second) // the client sets no deadline again that is the same
				began := time.Now()
				if got := get(); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				if took := time.Since(began); l.tried.Load() == 0 || took > 5*time.Second {
					t.Errorf("got %d requests on a kept connection, and an answer after %s, want one and at most 5s", l.tried.Load(), took)
				}
			})
		})
	}
}

// web returns a server of the sample site that is not started.
func web(on *fetchtest.Network) *httptest.Server {
	return &httptest.Server{
		Listener: loopback.Must(on.Listen("tcp", "127.0.0.1:0")),
		Config:   &nethttp.Server{Handler: nethttp.FileServerFS(testdata.Site())},
	}
}
