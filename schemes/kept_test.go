package schemes_test

import (
	"context"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A line is a network whose open connections can die silently.
type line struct {
	mu    sync.Mutex
	conns []*muted
	tried atomic.Int32 // writes to dead connections
}

// muted is a connection that can die silently: nothing arrives at either end any more, and neither gets an error.
type muted struct {
	net.Conn
	line   *line
	mu     sync.Mutex
	dead   net.Conn // a pipe whose other end only reads
	reader net.Conn
}

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	nc, err := new(net.Dialer).DialContext(ctx, network, addr)
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
		c.dead, c.reader = net.Pipe()
		go io.Copy(io.Discard, c.reader)
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
		c.reader.Close()
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// In every scheme that reuses connections, a request on one that has died silently is soon repeated on a new connection.
func TestSilentKeptConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("waits 3 s, for each scheme")
	}
	site := testdata.Site()
	web := httptest.NewServer(nethttp.FileServerFS(site))
	t.Cleanup(web.Close)
	web2 := httptest.NewUnstartedServer(nethttp.FileServerFS(site))
	web2.EnableHTTP2 = true
	web2.StartTLS()
	t.Cleanup(web2.Close)
	ftp, ldap := ftptest.NewServer(site, nil), ldaptest.NewServer(site, nil)
	news, wais := newstest.NewServer(site, nil), waistest.NewServer(site, nil)
	imap, err := mailtest.ListenIMAP(site, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []interface{ Close() }{ftp, ldap, news, wais, imap} {
		t.Cleanup(s.Close)
	}
	for name, tt := range map[string]struct {
		uri string
		set map[string][]string
	}{
		"ftp":   {uri: ftp.URL + "/README.txt"},
		"http":  {uri: web.URL + "/README.txt"},
		"http2": {uri: web2.URL + "/README.txt", set: map[string][]string{"http.version": {"2"}}},
		"imap":  {uri: imap.URL + "/INBOX"},
		"ldap":  {uri: ldap.URL + "/o=site?o?one"},
		"news":  {uri: news.URL + "/lab.dots/1"},
		"wais":  {uri: wais.URL + "/site?owl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &line{}
			c := fetch.New(schemes.All(nil)...)
			t.Cleanup(func() { c.Close() })
			c.Dialer = l.dial
			c.Timeouts.Idle = time.Hour // which the client does not wait for
			if name == "http2" {
				c.TLS = web2.Client().Transport.(*nethttp.Transport).TLSClientConfig
			}
			get := func() string {
				o := &fetch.Options{Set: tt.set}
				if name == "imap" {
					o.Login = fetch.Login{User: mailtest.Plain, Password: mailtest.PlainPassword, Set: true}
				}
				d, err := c.Get(t.Context(), uri.MustParse(tt.uri), o)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Body.Close()
				b, err := io.ReadAll(d.Body)
				if err != nil {
					t.Error(err)
				}
				return string(b)
			}
			want := get()
			get() // ftp keeps its connection from the second document on
			if n := l.die(); n == 0 {
				t.Fatal("no connection was made")
			}
			if got := get(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if l.tried.Load() == 0 {
				t.Error("got no request on a kept connection, want one")
			}
		})
	}
}
