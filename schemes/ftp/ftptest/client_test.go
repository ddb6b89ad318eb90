package ftptest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
)

// patience bounds every read of the tests' client. It is a guard against hanging, even on a busy machine.
const patience = 60 * time.Second

// files returns what the servers of these tests serve, unless it is the sample site.
func files() fstest.MapFS {
	at := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644, ModTime: at} }
	return fstest.MapFS{
		"motd":                file("hello\n"),
		"a/b/c/d/deep.txt":    file("deep\n"),
		"a dir/b c.txt":       file("blank\n"),
		"lf.txt":              file("one\ntwo\n"),
		"crlf.txt":            file("one\r\ntwo\r\n"),
		"big.bin":             file(strings.Repeat("0123456789abcdef", 1<<16)),
		"home/alice/home.txt": file("home\n"),
		"café.txt":            file("é\n"),
		`quo"te/x`:            file("q"),
		"empty":               {Mode: 0o755 | 1<<31, ModTime: at},
		"undated.txt":         {Data: []byte("u"), Mode: 0o600},
	}
}

// client sends raw commands.
type client struct {
	t    *testing.T
	on   loopback.Network
	c    net.Conn
	text *textproto.Reader
}

func start(t *testing.T, o *Options) *Server {
	t.Helper()
	s := NewServer(files(), o)
	t.Cleanup(s.Close)
	return s
}

// inBubble calls f with a server on a network in memory, in a bubble of testing/synctest, where deadlines take no time.
func inBubble(t *testing.T, o Options, f func(*testing.T, *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Network = &fetchtest.Network{}
		f(t, start(t, &o))
	})
}

// silent checks that the server sends nothing for an hour.
func (x *client) silent() {
	x.t.Helper()
	x.c.SetReadDeadline(time.Now().Add(time.Hour))
	if l, err := x.text.ReadLine(); !errors.Is(err, os.ErrDeadlineExceeded) {
		x.t.Errorf("got %q, %v, want silence", l, err)
	}
}

// dial connects and reads the greeting.
func dial(t *testing.T, s *Server) *client {
	t.Helper()
	x := connectTo(t, s)
	x.expect(220)
	return x
}

func connectTo(t *testing.T, s *Server) *client {
	t.Helper()
	c, err := s.Network.Dial(t.Context(), "tcp", netip.Addr{}, s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	x := &client{t: t, on: s.Network}
	x.use(c)
	return x
}

func (x *client) use(c net.Conn) {
	c.SetDeadline(time.Now().Add(patience))
	x.c, x.text = c, textproto.NewReader(bufio.NewReader(c))
}

// login connects and logs in as the anonymous user.
func login(t *testing.T, s *Server) *client {
	t.Helper()
	x := dial(t, s)
	x.cmd(331, "USER anonymous")
	x.cmd(230, "PASS test@")
	return x
}

func (x *client) say(line string) {
	x.t.Helper()
	if _, err := io.WriteString(x.c, line+"\r\n"); err != nil {
		x.t.Fatalf("%s: %v", line, err)
	}
}

func (x *client) expect(code int) string {
	x.t.Helper()
	_, msg, err := x.text.ReadResponse(code)
	if err != nil {
		x.t.Fatalf("got %v, want %d", err, code)
	}
	return msg
}

func (x *client) cmd(code int, line string) string {
	x.t.Helper()
	x.say(line)
	_, msg, err := x.text.ReadResponse(code)
	if err != nil {
		x.t.Fatalf("%s: got %v, want %d", line, err, code)
	}
	return msg
}

// gone checks that the control connection ends.
func (x *client) gone() {
	x.t.Helper()
	if l, err := x.text.ReadLine(); err == nil {
		x.t.Fatalf("got %q, want the end of the connection", l)
	} else if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
		x.t.Fatal("got an open connection, want its end")
	}
}

// epsv arranges and opens a data connection.
func (x *client) epsv() net.Conn {
	x.t.Helper()
	msg := x.cmd(229, "EPSV")
	var port int
	if _, err := fmt.Sscanf(msg[strings.Index(msg, "("):], "(|||%d|)", &port); err != nil {
		x.t.Fatal(msg, err)
	}
	return x.data(port)
}

func (x *client) data(port int) net.Conn {
	x.t.Helper()
	c, err := x.on.Dial(x.t.Context(), "tcp", netip.Addr{}, fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// get makes a transfer. It returns the data and the code of the final reply.
func (x *client) get(line string) (string, int) {
	x.t.Helper()
	return x.fetch(x.epsv(), line)
}

func (x *client) fetch(d net.Conn, line string) (string, int) {
	x.t.Helper()
	x.cmd(150, line)
	body, err := io.ReadAll(d)
	if err != nil && !isReset(err) && !errors.Is(err, io.ErrUnexpectedEOF) {
		x.t.Fatal(err)
	}
	d.Close()
	code, _, err := x.text.ReadResponse(2)
	if err != nil && code == 0 {
		x.t.Fatal(err)
	}
	return string(body), code
}

func isReset(err error) bool { return strings.Contains(err.Error(), "reset") }

// whole makes a transfer that must succeed.
func (x *client) whole(line string) string {
	x.t.Helper()
	body, code := x.get(line)
	if code != 226 {
		x.t.Fatalf("%s: got the final reply %d, want 226", line, code)
	}
	return body
}

// upgrade sends AUTH TLS and negotiates.
func (x *client) upgrade(s *Server) *tls.Config {
	x.t.Helper()
	x.cmd(234, "AUTH TLS")
	return x.secure(s)
}

func (x *client) secure(s *Server) *tls.Config {
	x.t.Helper()
	cfg := &tls.Config{RootCAs: s.Roots(), ServerName: "127.0.0.1", ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	c := tls.Client(x.c, cfg)
	if err := c.Handshake(); err != nil {
		x.t.Fatal(err)
	}
	x.use(c)
	return cfg
}
