package ftp_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

func size(n int64) *int64 { return &n }

func replies(kv ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

// faultCase is a server's misbehavior and the expected result: the file, or an error.
type faultCase struct {
	name string
	f    ftptest.Faults
	o    ftptest.Options
	want fetch.Kind // "" is the whole file
	set  string     // a setting: key=value
	path string
	only int // sessions at most, 0 any
}

func faultCases() []faultCase {
	multi := "230-hello\r\n 230 not the end\r\n123 neither\r\n230-nor this\r\n\r\n230 logged in\r\n"
	return []faultCase{
		{name: "multi-line", f: ftptest.Faults{Final: replies("RETR", "226-one\r\n 226 two\r\n226 three")}, only: 1},
		{name: "multi-line greeting", f: ftptest.Faults{Reply: replies("greeting", "220-a\r\n220-b\r\n 220 trap\r\n220 c")}, only: 1},
		{name: "odd multi-line", f: ftptest.Faults{Reply: replies("MDTM", strings.ReplaceAll(multi, "230", "213"))}, only: 1},
		{name: "bare code", f: ftptest.Faults{Reply: replies("MDTM", "550")}, only: 1},
		{name: "250 in place of 226", f: ftptest.Faults{Final: replies("RETR", "250 done")}, only: 1},
		{name: "early 226", f: ftptest.Faults{EarlyFinal: true}},
		{name: "late 226", f: ftptest.Faults{FinalDelay: 200 * time.Millisecond}},
		{name: "226 after our close", o: ftptest.Options{Linger: 5 * time.Second}},
		{name: "426", f: ftptest.Faults{CutDataAfter: 100}, want: fetch.ErrTransfer},
		{name: "451", f: ftptest.Faults{Final: replies("RETR", "451 disk")}, want: fetch.ErrTransfer},
		{name: "550 after 150", f: ftptest.Faults{Final: replies("RETR", "550 gone")}, want: fetch.ErrTransfer},
		{name: "cut and 226", f: ftptest.Faults{CutDataAfter: 100, CutSilently: true}, want: fetch.ErrTruncated},
		{name: "cut and 226, only 150 tells", f: ftptest.Faults{CutDataAfter: 100, CutSilently: true}, o: ftptest.Options{NoSIZE: true},
			want: fetch.ErrTruncated},
		{name: "reset", f: ftptest.Faults{CutDataAfter: 100, Reset: true}, want: fetch.ErrTruncated},
		{name: "no 226", f: ftptest.Faults{Final: replies("RETR", ftptest.Silence)}, only: 1}, // all bytes of SIZE are there
		{name: "hang up for 226", f: ftptest.Faults{Final: replies("RETR", ftptest.Hangup)}, only: 1},
		{name: "hang up for 226, size in 150", f: ftptest.Faults{Final: replies("RETR", ftptest.Hangup), Reply: replies("SIZE", "500 unknown")},
			only: 1},
		{name: "no 226 and no size", f: ftptest.Faults{Final: replies("RETR", ftptest.Silence), Reply: replies("SIZE", "500 unknown"), SizeIn150: size(-1)},
			want: fetch.ErrTimeout},
		{name: "hang up for 226, no size",
			f:    ftptest.Faults{Final: replies("RETR", ftptest.Hangup), Reply: replies("SIZE", "500 unknown"), SizeIn150: size(-1)},
			want: fetch.ErrTruncated},
		{name: "hang up for 226, more in 150",
			f:    ftptest.Faults{Final: replies("RETR", ftptest.Hangup), SizeIn150: size(1 << 20), Reply: replies("SIZE", "500 unknown")},
			want: fetch.ErrTruncated},
		{name: "hang up for 226, text", f: ftptest.Faults{Final: replies("RETR", ftptest.Hangup)}, path: "/texts/numbered.txt;type=a",
			want: fetch.ErrTruncated},
		{name: "cut and hang up", f: ftptest.Faults{CutDataAfter: 5, Final: replies("RETR", ftptest.Hangup)}, want: fetch.ErrTruncated},
		{name: "SIZE too large", f: ftptest.Faults{WrongSize: 1}, want: fetch.ErrTruncated},
		{name: "SIZE too small", f: ftptest.Faults{WrongSize: -1}, want: fetch.ErrTransfer},
		{name: "SIZE of no number", f: ftptest.Faults{Reply: replies("SIZE", "213 99999999999999999999")}},
		{name: "150 of too few", f: ftptest.Faults{SizeIn150: size(5)}},
		{name: "stall", f: ftptest.Faults{StallAfter: 100}, want: fetch.ErrTimeout},
		{name: "blackhole", f: ftptest.Faults{Blackhole: true}, want: fetch.ErrTimeout},
		{name: "no SIZE, no MDTM", o: ftptest.Options{NoSIZE: true, NoMDTM: true}, only: 1},
		{name: "EPSV refused", o: ftptest.Options{NoEPSV: true}, only: 1},
		{name: "EPSV refused, serial", o: ftptest.Options{NoEPSV: true}, set: "ftp.pipeline=no", only: 1},
		{name: "EPSV to a dead port", f: ftptest.Faults{EPSVPort: 2}, only: 2},
		{name: "EPSV to a dead port, 425 at once", f: ftptest.Faults{EPSVPort: 2, Impatient: true}},
		{name: "425 to a pipelined transfer", f: ftptest.Faults{Impatient: true}, only: 2},
		{name: "425 to EPSV", f: ftptest.Faults{BusyPorts: 3}, only: 1},
		{name: "425 to EPSV, serial", f: ftptest.Faults{BusyPorts: 3}, set: "ftp.pipeline=no", only: 1},
		{name: "425 to EPSV, and no reply to the RETR after it", f: ftptest.Faults{BusyPorts: 3, BusyMute: true}, only: 2},
		{name: "425 to EPSV again and again", f: ftptest.Faults{BusyPorts: 1000}, want: fetch.ErrUnavailable, only: 1},
		{name: "425, the port is in use",
			f: ftptest.Faults{Reply: replies("RETR", "425 Unable to build data connection: Address already in use")}, want: fetch.ErrUnavailable,
			only: 1},
		{name: "425", f: ftptest.Faults{Reply: replies("RETR", "425 Cannot open data connection")}, want: fetch.ErrUnavailable, only: 2},
		{name: "PASV to a dead port", f: ftptest.Faults{PASV: "127,0,0,1,0,2"}, set: "ftp.epsv=no", want: fetch.ErrConnect},
		{name: "all to dead ports, active allowed", f: ftptest.Faults{PASV: "127,0,0,1,0,2", EPSVPort: 2}, set: "ftp.active=fallback", only: 3},
		{name: "EPSV to another service", f: ftptest.Faults{EPSVPort: 6000}, want: fetch.ErrRefusedPort, only: 3},
		{name: "EPSV to another service, well known", f: ftptest.Faults{EPSVPort: 25}, want: fetch.ErrRefusedPort, only: 1},
		{name: "EPSV of no port", f: ftptest.Faults{Reply: replies("EPSV", "229 (|||70000|)")}, want: fetch.ErrProtocol},
		{name: "EPSV of nothing", f: ftptest.Faults{Reply: replies("EPSV", "229 )(")}, want: fetch.ErrProtocol},
		{name: "PASV of nothing", f: ftptest.Faults{Reply: replies("PASV", "227 )(")}, set: "ftp.epsv=no", want: fetch.ErrProtocol},
		{name: "PASV with the number 256", f: ftptest.Faults{PASV: "127,0,0,1,256,1"}, set: "ftp.epsv=no", want: fetch.ErrProtocol},
		{name: "no passive mode", o: ftptest.Options{NoPASV: true}, want: fetch.ErrConnect},
		{name: "no passive mode, active allowed", o: ftptest.Options{NoPASV: true}, set: "ftp.active=fallback", only: 1},
		{name: "active", set: "ftp.active=yes", only: 1},
		{name: "PORT refused", f: ftptest.Faults{Reply: replies("PORT", "502 no")}, set: "ftp.active=yes", only: 1},
		{name: "active from elsewhere", f: ftptest.Faults{ActiveFrom: netip.MustParseAddr("127.0.0.2")}, set: "ftp.active=yes",
			want: fetch.ErrTimeout},
		{name: "pipelined input dropped", o: ftptest.Options{NoPipelining: true}, only: 2},
		{name: "pipelined input dropped, serial", o: ftptest.Options{NoPipelining: true}, set: "ftp.pipeline=no", only: 1},
		{name: "bad sequence", f: ftptest.Faults{Reply: replies("TYPE", "503 bad sequence")}, want: fetch.ErrNotFound, only: 2},
		{name: "another command's reply", f: ftptest.Faults{Reply: replies("CWD", "331 password")}, want: fetch.ErrProtocol, only: 2},
		{name: "no reply at all", f: ftptest.Faults{Reply: replies("CWD", "hello")}, want: fetch.ErrProtocol, only: 2},
		{name: "hang up", f: ftptest.Faults{Reply: replies("CWD", ftptest.Hangup)}, want: fetch.ErrConnection, only: 2},
		{name: "silent greeting", f: ftptest.Faults{Reply: replies("greeting", ftptest.Silence)}, want: fetch.ErrTimeout, only: 1},
		{name: "silent USER", f: ftptest.Faults{Reply: replies("USER", ftptest.Silence)}, want: fetch.ErrTimeout, only: 1},
		{name: "too many users", f: ftptest.Faults{Reply: replies("greeting", "421 too many")}, want: fetch.ErrUnavailable, only: 1},
		{name: "too many users at PASS", f: ftptest.Faults{Reply: replies("PASS", "421 too many")}, want: fetch.ErrUnavailable, only: 1},
		{name: "no FTP", f: ftptest.Faults{Reply: replies("greeting", "SSH-2.0-x")}, want: fetch.ErrProtocol, only: 1},
		{name: "anonymous refused", o: ftptest.Options{NoAnonymous: true}, want: fetch.ErrAuth, only: 1},
		{name: "in at USER", o: ftptest.Options{QuickLogin: true}, only: 1},
		{name: "in at USER, serial", o: ftptest.Options{QuickLogin: true}, set: "ftp.pipeline=no", only: 1},
		{name: "202 to PASS", f: ftptest.Faults{}, only: 1},
		{name: "no TLS session", f: ftptest.Faults{Reply: replies("RETR", "522 SSL connection failed: session reuse required")},
			want: fetch.ErrTLS},
		{name: "permission", f: ftptest.Faults{Reply: replies("RETR", "550 Permission denied")}, want: fetch.ErrRefused, path: "/README.txt"},
		{name: "transient", f: ftptest.Faults{Reply: replies("RETR", "452 later")}, want: fetch.ErrUnavailable},
		{name: "550 without a cause", f: ftptest.Faults{Reply: replies("RETR", "550 Failed to open file.")},
			want: fetch.ErrRefused}, // SIZE knows it
		{name: "226 to TYPE", f: ftptest.Faults{Code: map[string]int{"TYPE": 226}}, only: 1},
		{name: "200 to USER", f: ftptest.Faults{Code: map[string]int{"USER": 200}}, o: ftptest.Options{QuickLogin: true}, only: 1},
		{name: "200 to USER, serial", f: ftptest.Faults{Code: map[string]int{"USER": 200}}, o: ftptest.Options{QuickLogin: true},
			set: "ftp.pipeline=no", only: 1},
		{name: "300 to USER", f: ftptest.Faults{Code: map[string]int{"USER": 300}}, only: 1},
		{name: "200 to PASS", f: ftptest.Faults{Code: map[string]int{"PASS": 200}}, only: 1},
		{name: "331 to PASS", f: ftptest.Faults{Reply: replies("PASS", "331 password")}, want: fetch.ErrProtocol, only: 2},
		{name: "333 to PASS", f: ftptest.Faults{Reply: replies("PASS", "333 account")}, want: fetch.ErrAuth, only: 2},
		{name: "230 as greeting", f: ftptest.Faults{Reply: replies("greeting", "230 welcome")}, only: 1},
		{name: "331 as greeting", f: ftptest.Faults{Reply: replies("greeting", "331 password")}, want: fetch.ErrProtocol, only: 1},
		{name: "200 to SIZE", f: ftptest.Faults{Code: map[string]int{"SIZE": 200}, CutDataAfter: 100, CutSilently: true},
			want: fetch.ErrTruncated},
		{name: "200 to SIZE, no number", f: ftptest.Faults{Reply: replies("SIZE", "200 ok")}, only: 1},
		{name: "226 to RETR", f: ftptest.Faults{Code: map[string]int{"RETR": 226}, Final: replies("RETR", "")}, only: 1},
		{name: "300 to SIZE", f: ftptest.Faults{Reply: replies("SIZE", "300 what")}, only: 1},
		{name: "200 to MDTM", f: ftptest.Faults{Code: map[string]int{"MDTM": 200}}, only: 1},
		{name: "200 to CWD", f: ftptest.Faults{Code: map[string]int{"CWD": 200}}, only: 1},
		{name: "314 to EPSV", f: ftptest.Faults{Reply: replies("EPSV", "314 bluah")}, only: 1},
		{name: "314 to EPSV, serial", f: ftptest.Faults{Reply: replies("EPSV", "314 bluah")}, set: "ftp.pipeline=no", only: 1},
		{name: "314 to EPSV and PASV", f: ftptest.Faults{Reply: replies("EPSV", "314 bluah", "PASV", "314 bluah")}, want: fetch.ErrConnect},
		{name: "314 to PORT", f: ftptest.Faults{Reply: replies("PORT", "314 bluah")}, set: "ftp.active=yes", only: 1},
		{name: "200 to RETR", f: ftptest.Faults{Reply: replies("RETR", "200 ok")}, want: fetch.ErrProtocol, only: 2},
		{name: "110 before 226", f: ftptest.Faults{Final: replies("RETR", "110 MARK a = b\r\n226 done")}, only: 1},
		{name: "110 without end", f: ftptest.Faults{Final: replies("RETR", strings.Repeat("110 MARK a = b\r\n", 20)+"226 done")},
			want: fetch.ErrProtocol, only: 1},
		{name: "200 in place of 226", f: ftptest.Faults{Final: replies("RETR", "200 done")}, only: 1},
		{name: "331 in place of 226", f: ftptest.Faults{Final: replies("RETR", "331 password")}, want: fetch.ErrProtocol, only: 1},
		{name: "control cut", f: ftptest.Faults{CutControlAfter: 60}, want: fetch.ErrTruncated, only: 2},
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range faultCases() {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.o
			o.Faults = &tt.f
			inBubble(t, &o, tt.run)
		})
	}
}

func (c *faultCase) run(t *testing.T, l *setting) {
	path := c.path
	if path == "" {
		path = "/texts/numbered.txt"
	}
	var sent steps
	opts := sent.options(fetch.Options{})
	if k, v, ok := strings.Cut(c.set, "="); ok {
		opts.Set = map[string][]string{k: {v}}
	}
	began := time.Now()
	got, err := l.text(t, path, opts)
	if took := time.Since(began); took > time.Minute { // Timeouts.Idle
		t.Errorf("got a wait of %s, want at most 1m", took)
	}
	if slices.Contains(sent.list, "") {
		t.Errorf("got an empty command in %q, want none", sent.list)
	}
	if k := fetch.KindOf(err); k != c.want {
		t.Fatalf("got %v (%s), want %q; the server received %q", err, k, c.want, l.srv.Transcript())
	}
	if err == nil && got != site(t, path[1:]) {
		t.Errorf("got %d bytes, want %d", len(got), len(site(t, path[1:])))
	}
	if c.only > 0 && l.srv.Sessions() > c.only {
		t.Errorf("got %d sessions, want at most %d", l.srv.Sessions(), c.only)
	}
}

func TestSerialAfterDroppedInput(t *testing.T) {
	inBubble(t, &ftptest.Options{NoPipelining: true}, func(t *testing.T, l *setting) {
		for i := range 3 {
			if _, err := l.text(t, "/README.txt", nil); err != nil {
				t.Fatal(i, err)
			}
		}
		if n := l.srv.Sessions(); n > 3 { // for the pipeline, its repetition, and the first that is kept
			t.Errorf("got %d sessions, want at most 3", n)
		}
	})
}
