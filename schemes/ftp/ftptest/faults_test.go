package ftptest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/deref/schemes/internal/lineproto"
)

func TestFaultyReplies(t *testing.T) {
	s := start(t, &Options{Faults: &Faults{Reply: map[string]string{
		"greeting": "220-one\r\n220 two\r\n",
		"CWD":      "999 nonsense",
		"NOOP":     Hangup,
	}}})
	x := login(t, s)
	x.cmd(999, "CWD a")
	x.cmd(257, "PWD")
	x.say("NOOP")
	x.gone()
}

func TestSilence(t *testing.T) {
	inBubble(t, Options{Faults: &Faults{Reply: map[string]string{"PWD": Silence}}, Idle: 2 * time.Hour}, func(t *testing.T, s *Server) {
		x := login(t, s)
		x.say("PWD\r\nNOOP")
		x.silent()
	})
}

func TestCutControl(t *testing.T) {
	x := connectTo(t, start(t, &Options{Greeting: "0123456789", Faults: &Faults{CutControlAfter: 6}}))
	if b, err := io.ReadAll(x.c); string(b) != "220 01" || err != nil {
		t.Errorf("got %q, %v, want %q", b, err, "220 01")
	}
}

// TestFaultyData compares the data that arrives and the final reply.
func TestFaultyData(t *testing.T) {
	n := int64(99)
	tests := []struct {
		name string
		f    Faults
		body string
		code int
	}{
		{"cut", Faults{CutDataAfter: 3}, "hel", 426},
		{"cut at the end", Faults{CutDataAfter: 6}, "hello\n", 426},
		{"cut beyond the end", Faults{CutDataAfter: 7}, "hello\n", 226},
		{"cut silently", Faults{CutDataAfter: 3, CutSilently: true}, "hel", 226},
		{"other final reply", Faults{Final: map[string]string{"RETR": "451 disk"}}, "hello\n", 451},
		{"late final reply", Faults{FinalDelay: 20 * time.Millisecond}, "hello\n", 226},
		{"early final reply", Faults{EarlyFinal: true}, "hello\n", 226},
		{"wrong 150", Faults{SizeIn150: &n}, "hello\n", 226},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Options{Faults: &tt.f}, func(t *testing.T, s *Server) {
				x := login(t, s)
				x.cmd(200, "TYPE I")
				if body, code := x.get("RETR motd"); body != tt.body || code != tt.code {
					t.Errorf("got %q, %d, want %q, %d", body, code, tt.body, tt.code)
				}
				x.cmd(257, "PWD") // in step
			})
		})
	}
}

func TestReset(t *testing.T) {
	x := login(t, start(t, &Options{Faults: &Faults{CutDataAfter: 3, Reset: true}}))
	d := x.epsv()
	x.cmd(150, "RETR motd")
	if _, err := io.ReadAll(d); err == nil || !isReset(err) {
		t.Errorf("got %v, want a reset", err)
	}
	x.expect(426)
}

func TestNoFinalReply(t *testing.T) {
	inBubble(t, Options{Faults: &Faults{Final: map[string]string{"RETR": Silence}}, Idle: 2 * time.Hour}, func(t *testing.T, s *Server) {
		x := login(t, s)
		d := x.epsv()
		x.cmd(150, "RETR motd")
		if b, err := io.ReadAll(d); len(b) != 7 || err != nil {
			t.Errorf("got %q, %v, want 7 bytes", b, err)
		}
		x.say("NOOP")
		x.silent()
	})
}

func TestBlackhole(t *testing.T) {
	inBubble(t, Options{Faults: &Faults{Blackhole: true}, Idle: 2 * time.Hour}, func(t *testing.T, s *Server) {
		x := login(t, s)
		d := x.epsv()
		x.cmd(150, "RETR motd")
		d.SetReadDeadline(time.Now().Add(time.Hour))
		if n, err := d.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %d bytes, %v, want a timeout", n, err)
		}
	})
}

func TestEndless(t *testing.T) {
	x := login(t, start(t, &Options{Faults: &Faults{Endless: true}}))
	d := x.epsv()
	x.cmd(150, "RETR motd")
	if n, err := io.CopyN(io.Discard, d, 1<<22); err != nil {
		t.Errorf("got %d bytes, %v, want %d", n, err, 1<<22)
	}
	d.Close()
	x.expect(426)
}

func TestWrongReplies(t *testing.T) {
	x := login(t, start(t, &Options{Faults: &Faults{
		WrongSize: 1, IgnoreREST: true, PASV: "10,0,0,1,4,1", EPSVPort: 7,
	}}))
	x.cmd(200, "TYPE I")
	if got := x.cmd(213, "SIZE motd"); got != "7" {
		t.Errorf("SIZE: got %s, want 7", got)
	}
	if got := x.cmd(227, "PASV"); !strings.Contains(got, "(10,0,0,1,4,1)") {
		t.Errorf("PASV: got %s, want (10,0,0,1,4,1) in it", got)
	}
	if got := x.cmd(229, "EPSV"); !strings.Contains(got, "(|||7|)") {
		t.Errorf("EPSV: got %s, want (|||7|) in it", got)
	}
	x.cmd(350, "REST 3")
	d := x.active(func(port int) string { return "EPRT |1|127.0.0.1|" + itoa(port) + "|" })
	if body, code := x.fetch(d, "RETR motd"); body != "hello\n" || code != 226 {
		t.Errorf("REST ignored: got %q, %d, want %q, 226", body, code, "hello\n")
	}
}

func itoa(n int) string {
	return strings.TrimPrefix(netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(n)).String(), "0.0.0.0:")
}

// TestActiveFromElsewhere connects from an address that a client should refuse.
func TestActiveFromElsewhere(t *testing.T) {
	x := login(t, start(t, &Options{Faults: &Faults{ActiveFrom: netip.MustParseAddr("127.0.0.2")}}))
	d := x.active(func(port int) string { return "EPRT |1|127.0.0.1|" + itoa(port) + "|" }).(*pending)
	x.cmd(150, "RETR motd")
	io.ReadAll(d)
	if d.addr == nil || d.addr.(*net.TCPAddr).IP.String() != "127.0.0.2" {
		t.Errorf("got a connection from %v, want 127.0.0.2", d.addr)
	}
}

// TestLinger checks that 226 comes only after the client has closed.
func TestLinger(t *testing.T) {
	inBubble(t, Options{Linger: 2 * time.Hour}, func(t *testing.T, s *Server) {
		x := login(t, s)
		d := x.epsv()
		x.cmd(150, "RETR motd")
		io.ReadAll(d)
		x.silent()
		d.Close()
		x.c.SetReadDeadline(time.Now().Add(patience))
		x.expect(226)
	})
}

// FuzzJoin checks that no argument names a file outside of the root.
func FuzzJoin(f *testing.F) {
	f.Add("/a", "../../x")
	f.Add("/", "//..//")
	f.Fuzz(func(t *testing.T, cwd, arg string) {
		abs := join(join("/", cwd), arg)
		if !strings.HasPrefix(abs, "/") || strings.Contains(abs+"/", "/../") || join("/", abs) != abs {
			t.Errorf("join(%q, %q): got %q, want a clean absolute path", cwd, arg, abs)
		}
		if name := inFS(abs); strings.ToValidUTF8(name, "") == name && !fs.ValidPath(name) {
			t.Errorf("inFS(%q): got %q, want a valid path", abs, name)
		}
	})
}

// FuzzAddresses checks that accepted arguments are addresses.
func FuzzAddresses(f *testing.F) {
	f.Add("127,0,0,1,200,1", "|1|127.0.0.1|9999|")
	f.Add("", "|2|::1|1|")
	f.Fuzz(func(t *testing.T, port, eprt string) {
		if a, err := lineproto.ParsePort(port); err == nil && !a.Addr().Is4() {
			t.Errorf("PORT %q: got %v, want an IPv4 address", port, a)
		}
		if a, err := parseEPRT(eprt); err == nil && a.Addr() == (netip.Addr{}) {
			t.Errorf("EPRT %q: got %v, want an address", eprt, a)
		}
	})
}

// FuzzClean checks that the result is not longer than the input, and has no line end.
func FuzzClean(f *testing.F) {
	f.Add([]byte("\xff\xf4\xffABOR\r\n"))
	f.Fuzz(func(t *testing.T, p []byte) {
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			p = p[:i+1] // a line is read up to its first LF
		}
		in := bytes.Clone(p)
		if got := clean(p); len(got) > len(in) || strings.HasSuffix(got, "\n") {
			t.Errorf("clean(%q): got %q, want at most %d bytes without a line end", in, got, len(in))
		}
	})
}
