package ftptest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// protected returns a data connection with TLS, negotiated on the first read, as
// clients do after the 150.
func (x *client) protected(cfg *tls.Config) net.Conn { return tls.Client(x.epsv(), cfg) }

func TestExplicitTLS(t *testing.T) {
	s := start(t, &Options{SelfSigned: true, RequireTLS: true})
	x := dial(t, s)
	x.cmd(504, "AUTH KERBEROS")
	cfg := x.upgrade(s)
	play(t, x, "AUTH TLS 503; USER anonymous 331; PASS x 230; TYPE I 200; PBSZ 501; PBSZ 0 200; EPSV 229; RETR motd 521; "+
		"PROT C 536; PROT S 536; PROT P 200")
	if body, code := x.fetch(x.protected(cfg), "RETR motd"); body != "hello\n" || code != 226 {
		t.Errorf("got %q, %d, want %q, 226", body, code, "hello\n")
	}
}

// TestSessionReuse tests the behavior of vsftpd's require_ssl_reuse.
func TestSessionReuse(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		s := start(t, &Options{SelfSigned: true, RequireReuse: true})
		x := dial(t, s)
		cfg := x.upgrade(s)
		play(t, x, "USER anonymous 331; PASS x 230; PBSZ 0 200; PROT P 200; TYPE I 200")
		cfg.MaxVersion = version
		if version == tls.VersionTLS12 { // a session of 1.3 cannot be resumed in 1.2
			d := x.protected(cfg)
			x.cmd(150, "RETR motd")
			io.ReadAll(d)
			x.expect(522)
			continue
		}
		if body, code := x.fetch(x.protected(cfg), "RETR motd"); body != "hello\n" || code != 226 {
			t.Errorf("got %q, %d, want %q, 226", body, code, "hello\n")
		}
		cfg.ClientSessionCache = nil
		d := x.protected(cfg)
		x.cmd(150, "RETR motd")
		io.ReadAll(d)
		x.expect(522)
	}
}

// TestInjectedReply checks that cleartext after the 234 reaches the client before TLS.
func TestInjectedReply(t *testing.T) {
	s := start(t, &Options{SelfSigned: true, Faults: &Faults{InjectBeforeTLS: "230 Welcome\r\n"}})
	x := dial(t, s)
	x.cmd(234, "AUTH TLS")
	x.expect(230)
}

// TestCleartextAfterAuthIsDropped checks that it is not part of the protected session.
func TestCleartextAfterAuthIsDropped(t *testing.T) {
	s := start(t, &Options{SelfSigned: true})
	x := dial(t, s)
	x.say("AUTH TLS\r\nUSER anonymous\r\nPASS injected")
	x.expect(234)
	x.secure(s)
	x.cmd(530, "PWD")
	for _, l := range s.Transcript() {
		if strings.HasPrefix(l, "USER") || strings.HasPrefix(l, "PASS") {
			t.Errorf("got the command %q, want it dropped", l)
		}
	}
}

// TestCloseNotify looks at the records, since crypto/tls returns io.EOF without close_notify, too.
func TestCloseNotify(t *testing.T) {
	for _, without := range []bool{false, true} {
		s := start(t, &Options{SelfSigned: true, Faults: &Faults{NoCloseNotify: without}})
		x := dial(t, s)
		cfg := x.upgrade(s)
		play(t, x, "USER anonymous 331; PASS x 230; PBSZ 0 200; PROT P 200; TYPE I 200")
		raw := &tap{Conn: x.epsv()}
		if body, code := x.fetch(tls.Client(raw, cfg), "RETR motd"); body != "hello\n" || code != 226 {
			t.Errorf("got %q, %d, want %q, 226", body, code, "hello\n")
		}
		const alert = 2 + 1 + 16 // level and description, content type, tag (RFC 8446 §5.2)
		if got := raw.lastRecord() == alert; got == without {
			t.Errorf("NoCloseNotify %v: got a last record of %d bytes, want %d only for close_notify", without, raw.lastRecord(), alert)
		}
	}
}

// tap records all bytes that are read.
type tap struct {
	net.Conn
	seen []byte
}

func (c *tap) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.seen = append(c.seen, p[:n]...)
	return n, err
}

// lastRecord returns the length of the last TLS record's body.
func (c *tap) lastRecord() (n int) {
	for p := c.seen; len(p) >= 5; {
		n = int(p[3])<<8 | int(p[4])
		p = p[min(5+n, len(p)):]
	}
	return n
}

// TestHandshakeThatFails checks that a failed handshake ends the session and not the server.
func TestHandshakeThatFails(t *testing.T) {
	s := start(t, &Options{SelfSigned: true})
	x := dial(t, s)
	x.cmd(234, "AUTH TLS")
	x.say("this is not a handshake, and it is long enough to show that")
	x.c.SetDeadline(time.Now().Add(patience))
	x.text = textproto.NewReader(bufio.NewReader(io.LimitReader(x.c, 1000)))
	for {
		if _, err := x.text.ReadLine(); err != nil {
			break
		}
	}
	login(t, s)
}
