package ftptest

import (
	"fmt"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/encoding/charmap"
)

func TestTypes(t *testing.T) {
	tests := []struct {
		o           *Options
		typ, script string
		want        string
	}{
		{nil, "I", "RETR lf.txt", "one\ntwo\n"},
		{nil, "L 8", "RETR crlf.txt", "one\r\ntwo\r\n"},
		{nil, "A", "RETR lf.txt", "one\r\ntwo\r\n"},
		{nil, "A N", "RETR crlf.txt", "one\r\ntwo\r\n"},
		{Pureftpd(), "A", "RETR crlf.txt", "one\r\r\ntwo\r\r\n"},
		{nil, "I", "RETR a/b/c/d/deep.txt", "deep\n"},
		{nil, "I", "RETR a dir/b c.txt", "blank\n"},
		{nil, "I", "RETR /../../motd", "hello\n"},
		{nil, "I", "RETR café.txt", "é\n"},
		{&Options{Names: charmap.ISO8859_1}, "I", "RETR caf\xe9.txt", "é\n"},
	}
	for _, tt := range tests {
		x := dial(t, start(t, tt.o))
		x.say("USER anonymous\r\nPASS x\r\nTYPE " + tt.typ)
		for range 3 {
			x.text.ReadResponse(0)
		}
		if got := x.whole(tt.script); got != tt.want {
			t.Errorf("TYPE %s, %s: got %q, want %q", tt.typ, tt.script, got, tt.want)
		}
	}
	play(t, login(t, start(t, nil)), "TYPE E 504; TYPE 504; MODE S 200; MODE B 504; STRU F 200; STRU R 504")
}

func TestRestart(t *testing.T) {
	x := login(t, start(t, nil))
	play(t, x, "TYPE I 200; REST 3 350")
	if got := x.whole("RETR motd"); got != "lo\n" {
		t.Errorf("from 3: got %q, want %q", got, "lo\n")
	}
	if got := x.whole("RETR motd"); got != "hello\n" {
		t.Errorf("after the restarted transfer: got %q, want %q", got, "hello\n")
	}
	play(t, x, "REST 6 350")
	if got := x.whole("RETR motd"); got != "" {
		t.Errorf("from the end: got %q, want none", got)
	}
	play(t, x, "REST -1 501; REST x 501; REST 7 350; EPSV 229; RETR motd 554; TYPE A 200; REST 4 350")
	if got := x.whole("RETR lf.txt"); got != "\ntwo\r\n" { // counted as transferred
		t.Errorf("TYPE A from 4: got %q, want %q", got, "\ntwo\r\n")
	}
}

func TestRefusedTransfers(t *testing.T) {
	x := login(t, start(t, nil))
	play(t, x, "RETR motd 425; EPSV 229; RETR nothing 550; RETR a 550; RETR 501; LIST nothing 550; NLST nothing 550; MLSD motd 501")
}

// TestWaysToConnect retrieves a file over each kind of data connection.
func TestWaysToConnect(t *testing.T) {
	s := start(t, nil)
	tests := []struct {
		name    string
		arrange func(x *client) net.Conn
	}{
		{"EPSV", (*client).epsv},
		{"PASV", func(x *client) net.Conn {
			msg := x.cmd(227, "PASV")
			var p, q int
			if _, err := fmt.Sscanf(msg[strings.Index(msg, "("):], "(127,0,0,1,%d,%d)", &p, &q); err != nil {
				x.t.Fatal(msg, err)
			}
			return x.data(p<<8 | q)
		}},
		{"PORT", func(x *client) net.Conn {
			return x.active(func(port int) string { return fmt.Sprintf("PORT 127,0,0,1,%d,%d", port>>8, port&255) })
		}},
		{"EPRT", func(x *client) net.Conn {
			return x.active(func(port int) string { return fmt.Sprintf("EPRT |1|127.0.0.1|%d|", port) })
		}},
	}
	for _, tt := range tests {
		x := login(t, s)
		x.cmd(200, "TYPE I")
		if body, code := x.fetch(tt.arrange(x), "RETR motd"); body != "hello\n" || code != 226 {
			t.Errorf("%s: got %q, %d, want %q, 226", tt.name, body, code, "hello\n")
		}
	}
}

// pending is a data connection that the server has not made yet.
type pending struct {
	net.Listener
	net.Conn
	addr net.Addr // where it came from
}

func (p *pending) Close() error { return p.Listener.Close() }
func (p *pending) Read(b []byte) (int, error) {
	if p.Conn == nil {
		c, err := p.Listener.Accept()
		if err != nil {
			return 0, err
		}
		p.Conn, p.addr = c, c.RemoteAddr()
	}
	return p.Conn.Read(b)
}

func (x *client) active(command func(port int) string) net.Conn {
	ln, err := x.on.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { ln.Close() })
	x.cmd(200, command(ln.Addr().(*net.TCPAddr).Port))
	return &pending{Listener: ln}
}

func TestAddressesRefused(t *testing.T) {
	tests := []string{
		"PORT 10,0,0,1,200,1 500", // not the client: RFC 2577 §3
		"PORT 127,0,0,1,0,25 500", // a port of other services
		"PORT 127,0,0,1,200 501",
		"PORT 127,0,0,256,200,1 501",
		"EPRT |1|10.0.0.1|9999| 500",
		"EPRT |2|127.0.0.1|9999| 501",
		"EPRT |1|127.0.0.1|99999| 501",
		"EPRT 501",
		"EPSV 2 522",
		"EPSV ALL 200; PASV 503",
		"EPSV ALL 200; PORT 127,0,0,1,200,1 503",
	}
	for _, script := range tests {
		play(t, login(t, start(t, nil)), script)
	}
	play(t, login(t, start(t, &Options{NoEPSV: true})), "EPSV 550; EPRT |1|127.0.0.1|9999| 550; PASV 227")
	play(t, login(t, start(t, &Options{NoPASV: true})), "EPSV 502; PASV 502")
}

// TestIPv6 checks that EPSV and EPRT work, while PASV cannot (RFC 2428 §1).
func TestIPv6(t *testing.T) {
	s, err := Listen(files(), &Options{Addr: "[::1]:0"})
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	x := login(t, s)
	play(t, x, "TYPE I 200; PASV 425; EPSV 1 522; EPSV 2 229; EPRT |1|127.0.0.1|9999| 500")
	msg := x.cmd(229, "EPSV")
	var port string
	if _, err := fmt.Sscanf(msg[strings.Index(msg, "("):], "(|||%5s", &port); err != nil {
		t.Fatal(msg, err)
	}
	d, err := net.Dial("tcp", net.JoinHostPort("::1", strings.TrimRight(port, "|)")))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if body, code := x.fetch(d, "RETR motd"); body != "hello\n" || code != 226 {
		t.Errorf("got %q, %d, want %q, 226", body, code, "hello\n")
	}
}

// locked refuses to open one file, which is listed nevertheless.
type locked struct{ fstest.MapFS }

func (l locked) Open(name string) (fs.File, error) {
	if name == "motd" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.Open(name)
}

func TestUnreadableFile(t *testing.T) {
	s := NewServer(locked{files()}, nil)
	defer s.Close()
	x := login(t, s)
	x.cmd(229, "EPSV")
	if got, want := x.cmd(550, "RETR motd"), "motd: Permission denied"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
