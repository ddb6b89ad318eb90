package ftptest

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAnonymousSession(t *testing.T) {
	s := start(t, nil)
	x := login(t, s)
	x.cmd(215, "SYST")
	x.cmd(200, "NOOP")
	if feat := x.cmd(211, "FEAT"); !strings.Contains(feat, "MLST modify*;") || strings.Contains(feat, "AUTH") {
		t.Errorf("FEAT: got %q, want MLST and not AUTH", feat)
	}
	x.cmd(200, "OPTS UTF8 ON")
	x.cmd(501, "OPTS nonsense")
	x.cmd(500, "XYZZY")
	x.cmd(550, "DELE motd")
	x.cmd(221, "QUIT")
	x.gone()
	want := []string{"USER anonymous", "PASS test@", "SYST", "NOOP", "FEAT", "OPTS UTF8 ON",
		"OPTS nonsense", "XYZZY", "DELE motd", "QUIT"}
	if got := s.Transcript(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.Sessions() != 1 {
		t.Errorf("got %d sessions, want 1", s.Sessions())
	}
}

func TestLogin(t *testing.T) {
	users := map[string]User{
		"alice": {Password: "se:cr@t", Home: "/home/alice"},
		"bob":   {Password: "x", Account: "lab"},
	}
	tests := []struct {
		name   string
		o      *Options
		script string // command, code, command, code
	}{
		{"before the login", nil, "PWD 530; RETR motd 530; PASS x 503; ACCT x 503; USER 501"},
		{"wrong password", &Options{Users: users}, "USER alice 331; PASS no 530; PWD 530; PASS se:cr@t 503"},
		{"home", &Options{Users: users}, "USER alice 331; PASS se:cr@t 230; SIZE home.txt 550; TYPE I 200; SIZE home.txt 213; SIZE /motd 213"},
		{"account", &Options{Users: users}, "USER bob 331; PASS x 332; PWD 530; ACCT lab 230; PWD 257; ACCT lab 202"},
		{"wrong account", &Options{Users: users}, "USER bob 331; PASS x 332; ACCT no 530; PWD 530"},
		{"unknown user", nil, "USER mallory 331; PASS x 530"},
		{"no anonymous", &Options{NoAnonymous: true}, "USER anonymous 331; PASS x 530"},
		{"230 at once", &Options{QuickLogin: true}, "USER anonymous 230; PASS x 230; PWD 257"}, // pure-ftpd
		{"REIN", nil, "USER ftp 331; PASS x 230; REIN 220; PWD 530"},
		{"TLS required", &Options{SelfSigned: true, RequireTLS: true}, "USER anonymous 530"},
		{"TLS unknown", nil, "AUTH TLS 500; PBSZ 0 503; PROT P 503"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { play(t, dial(t, start(t, tt.o)), tt.script) })
	}
}

// play sends commands and expects codes: "USER x 331; PASS y 230".
func play(t *testing.T, x *client, script string) {
	t.Helper()
	for step := range strings.SplitSeq(script, "; ") {
		i := strings.LastIndexByte(step, ' ')
		code := int(step[i+1]-'0')*100 + int(step[i+2]-'0')*10 + int(step[i+3]-'0')
		x.cmd(code, step[:i])
	}
}

func TestWorkingDirectory(t *testing.T) {
	pwd := func(x *client) string { return strings.TrimSuffix(x.cmd(257, "PWD"), " is the current directory") }
	tests := []struct{ script, pwd string }{
		{"CWD a 250; CWD b 250", `"/a/b"`},
		{"CWD a/b/c 250; CDUP 250", `"/a/b"`},
		{"CWD a 250; CWD / 250", `"/"`},
		{"CWD a 250; CWD /home 250", `"/home"`}, // %2Fhome
		{"CWD .. 250; CWD ../../.. 250", `"/"`}, // never above the root
		{"CWD a/../../../home/alice 250", `"/home/alice"`},
		{"CWD a 250; CWD  550", `"/a"`},          // empty, as with vsftpd
		{"CWD nowhere 550; CWD motd 550", `"/"`}, // a file is not a directory
		{"CWD a dir 250", `"/a dir"`},
		{`CWD quo"te 250`, `"/quo""te"`}, // RFC 959 appendix II
	}
	for _, tt := range tests {
		x := login(t, start(t, nil))
		play(t, x, tt.script)
		if got := pwd(x); got != tt.pwd {
			t.Errorf("%s: got %s, want %s", tt.script, got, tt.pwd)
		}
	}
}

func TestGreetingOfSeveralLines(t *testing.T) {
	s := start(t, Proftpd())
	x := connectTo(t, s)
	buf := make([]byte, 200)
	n, err := x.c.Read(buf)
	want := "220-ProFTPD Server\r\nwelcome\r\n 220 trap: this is not the end\r\n220 ready\r\n"
	if string(buf[:n]) != want || err != nil {
		t.Errorf("got %q, %v, want %q", buf[:n], err, want)
	}
}

// TestPipelining sends all commands at once, which are answered in order.
func TestPipelining(t *testing.T) {
	x := dial(t, start(t, nil))
	x.say("USER anonymous\r\nPASS x@\r\nTYPE I\r\nCWD a\r\nCWD b\r\nCWD c\r\nCWD d\r\nSIZE deep.txt\r\nMDTM deep.txt\r\nNOOP\r\nQUIT")
	for _, code := range []int{331, 230, 200, 250, 250, 250, 250, 213, 213, 200, 221} {
		x.expect(code)
	}
	x.gone()
}

// TestPipelinedTransfer checks that commands after RETR wait for its end.
func TestPipelinedTransfer(t *testing.T) {
	x := login(t, start(t, nil))
	x.cmd(200, "TYPE I")
	d := x.epsv()
	x.say("RETR motd\r\nPWD\r\nQUIT")
	x.expect(150)
	buf := make([]byte, 6)
	if n, err := d.Read(buf); string(buf[:n]) != "hello\n" {
		t.Errorf("got %q, %v, want %q", buf[:n], err, "hello\n")
	}
	for _, code := range []int{226, 257, 221} {
		x.expect(code)
	}
}

func TestNoPipelining(t *testing.T) {
	s := start(t, &Options{NoPipelining: true})
	x := dial(t, s)
	x.say("USER anonymous\r\nPASS x@\r\nPWD")
	x.expect(331)
	x.cmd(230, "PASS x@") // the first one was dropped
	x.cmd(200, "TYPE I")
	if got := s.Transcript(); len(got) != 3 {
		t.Errorf("got %q, want 3 commands", got)
	}
	if body := x.whole("RETR motd"); body != "hello\n" {
		t.Errorf("got %q, want %q", body, "hello\n")
	}
}

func TestLineTooLong(t *testing.T) {
	x := dial(t, start(t, nil))
	x.say("NOOP " + strings.Repeat("x", maxLine))
	x.expect(500)
	x.gone()
}

func TestIdle(t *testing.T) {
	inBubble(t, Options{Idle: 30 * time.Second}, func(t *testing.T, s *Server) {
		began := time.Now()
		x := dial(t, s)
		x.expect(421)
		x.gone()
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("got an end after %s, want 30s", took)
		}
	})
}

// TestCloseEndsEverything closes the server while sessions are idle, in a transfer,
// and waiting for a data connection.
func TestCloseEndsEverything(t *testing.T) {
	s := start(t, &Options{Faults: &Faults{StallAfter: 2}})
	rest := login(t, s)
	transfer := login(t, s)
	d := transfer.epsv()
	transfer.cmd(150, "RETR motd")
	waiting := login(t, s)
	waiting.cmd(229, "EPSV")
	waiting.say("RETR motd")
	s.Close()
	s.Close()
	rest.gone()
	buf := make([]byte, 10)
	for n := 0; n < 10; n++ {
		if _, err := d.Read(buf); err != nil {
			return
		}
	}
	t.Error("got an open data connection, want it closed")
}

func TestTelnetCommands(t *testing.T) {
	tests := []struct{ in, want string }{
		{"NOOP\r\n", "NOOP"},
		{"NOOP\n", "NOOP"},
		{"CWD \xff\xffx\r\n", "CWD \xffx"}, // ÿ in Latin-1
		{"", ""},
	}
	for _, tt := range tests {
		if got := clean([]byte(tt.in)); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestWait checks that QUIT is in the transcript if the client does not wait for the reply.
func TestWait(t *testing.T) {
	s := start(t, nil)
	x := login(t, s)
	x.say("QUIT")
	x.c.Close()
	if !s.Wait(patience) || !slices.Contains(s.Transcript(), "QUIT") {
		t.Errorf("got %q, want QUIT in it", s.Transcript())
	}
}
