package promises_test

import (
	"context"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// trips counts the round trips of a Client at its sockets: each connection is one, and each time that the server sends something after the
// client did. Commands sent in one write count once, and so do responses on two connections.
type trips struct {
	mu    sync.Mutex
	n     int
	heard bool // the last event was a response
}

func (t *trips) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	nc, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	t.note(1, false)
	return &counted{nc, t}, nil
}

func (t *trips) note(n int, heard bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n += n; heard && !t.heard {
		t.n++
	}
	t.heard = heard
}

// take returns the number of round trips since the last call.
func (t *trips) take() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, t.n, t.heard = t.n, 0, false
	return n
}

type counted struct {
	net.Conn
	trips *trips
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.trips.note(0, true)
	}
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	c.trips.note(0, false)
	return c.Conn.Write(p)
}

// TestRoundTrips checks that no scheme waits more often than necessary. ftp needs five in a directory four levels deep: the connection, the
// greeting, one
// flight of all commands up to RETR, the data connection, and the data; nntp three, the others two. A kept connection
// saves its share; that of ftp is kept from the second document on, since a single one ends with QUIT.
func TestRoundTrips(t *testing.T) {
	deep := fstest.MapFS{"a/b/c/d/deep.txt": {Data: []byte("deep\n")}, "deep.txt": {Data: []byte("deep\n")}}
	web := httptest.NewServer(nethttp.FileServerFS(deep))
	t.Cleanup(web.Close)
	ftp := ftptest.NewServer(deep, nil)
	t.Cleanup(ftp.Close)
	gopher := gophertest.NewServer(deep, nil)
	t.Cleanup(gopher.Close)
	news := newstest.NewServer(testdata.Site(), nil)
	t.Cleanup(news.Close)
	for _, tt := range []struct {
		uri  string
		want []int // of each dereference by one Client
	}{
		{web.URL + "/a/b/c/d/deep.txt", []int{2, 1, 1}},
		{ftp.URL + "/deep.txt", []int{5, 5, 3, 3}},
		{ftp.URL + "/a/b/c/d/deep.txt", []int{5, 5, 3, 3}},
		{"gopher://" + gopher.Addr + "/0/deep.txt", []int{2, 2}},
		{news.URL + "/lab.dots/1", []int{3, 1, 1}},
	} {
		t.Run(tt.uri, func(t *testing.T) {
			var n trips
			c := fetch.New(schemes.All(nil)...)
			t.Cleanup(func() { c.Close() })
			c.Dialer = n.dial
			for i, want := range tt.want {
				d, err := c.Get(t.Context(), uri.MustParse(tt.uri), nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, d.Body); err != nil {
					t.Fatal(err)
				}
				d.Body.Close()
				if got := n.take(); got != want {
					t.Errorf("get %d: %d round trips, want %d", i+1, got, want)
				}
			}
		})
	}
}
