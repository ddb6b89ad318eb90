package loopback

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
)

// A notebook is a Watcher that writes everything down.
type notebook struct {
	mu   sync.Mutex
	list []string
}

func (n *notebook) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, fmt.Sprintf(format, args...))
}

func (n *notebook) Connection(_ net.Conn, dialed bool) Watched {
	n.add("open %v", dialed)
	return n
}

func (n *notebook) Datagram(_ net.Addr, dir byte, p []byte) { n.add("%c0 %s", dir, p) }
func (n *notebook) Data(dir byte, p []byte)                 { n.add("%c %s", dir, p) }
func (n *notebook) TLS(version string)                      { n.add("%s", version) }
func (n *notebook) Left()                                   { n.add("left") }
func (n *notebook) Ended()                                  { n.add("ended") }
func (n *notebook) Closed()                                 { n.add("closed") }

// TestWatch: a Watcher learns both directions and the end in their order, over TCP, within TLS, and of datagrams.
func TestWatch(t *testing.T) {
	cfg, roots, err := SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	for _, secure := range []bool{false, true} {
		book := &notebook{}
		var s *Server
		start := func(c net.Conn) {
			if secure {
				c = s.Net.Decrypted(s.Net.AcceptTLS(Patient(c, 0), cfg))
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			io.WriteString(c, "you said "+line)
			Finish(c)
		}
		s = Must(Start(&Server{}, "x", "", func(c net.Conn) { start(c) }))
		s.Net.Watch(book)
		c := dial(t, "tcp", s.Addr)
		if secure {
			c = tls.Client(c, &tls.Config{RootCAs: roots, ServerName: "localhost"})
		}
		io.WriteString(c, "hello\n")
		if b, err := io.ReadAll(c); string(b) != "you said hello\n" || err != nil {
			t.Errorf("got %q, %v, want %q", b, err, "you said hello\n")
		}
		c.Close()
		s.Close()
		want := []string{"open false", "C hello\n", "S you said hello\n", "ended", "closed"}
		if secure {
			want = slices.Insert(want, 1, "TLS 1.3")
		}
		if !slices.Equal(book.list, want) {
			t.Errorf("TLS %v: got %q, want %q", secure, book.list, want)
		}
	}
}

// TestWatchLeft: a Watcher learns that the client has closed first, and that it has closed a connection that the server opened.
func TestWatchLeft(t *testing.T) {
	book := &notebook{}
	server, client := net.Pipe()
	c := Observe(server, book, true)
	client.Close()
	c.Read(make([]byte, 1))
	c.Close()
	c.Close()
	if want := []string{"open true", "left", "closed"}; !slices.Equal(book.list, want) {
		t.Errorf("got %q, want %q", book.list, want)
	}
	if got := Observe(server, nil, false); got != server {
		t.Errorf("got %T without a Watcher, want the connection itself", got)
	}
}

// TestWatchDatagrams: a Watcher learns each datagram before the response to it.
func TestWatchDatagrams(t *testing.T) {
	book := &notebook{}
	s, err := StartPackets(&Server{}, "x", "", func(_ net.Addr, p []byte, reply func([]byte)) { reply(append([]byte("re: "), p...)) })
	if err != nil {
		t.Fatal(err)
	}
	s.Net.Watch(book)
	c := dial(t, "udp", s.Addr)
	io.WriteString(c, "ping")
	b := make([]byte, 20)
	if n, err := c.Read(b); string(b[:n]) != "re: ping" || err != nil {
		t.Errorf("got %q, %v, want %q", b[:n], err, "re: ping")
	}
	c.Close()
	s.Close()
	if want := []string{"C0 ping", "S0 re: ping"}; !slices.Equal(book.list, want) {
		t.Errorf("got %q, want %q", book.list, want)
	}
}
