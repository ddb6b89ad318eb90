package testservers

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
)

// newTalk returns a connection of a scheme's server that is shown on out.
func newTalk(t testing.TB, scheme string, out *bytes.Buffer) *talk {
	t.Helper()
	s, _ := fetch.Registry(schemes.All(nil)).Lookup(scheme)
	c, other := net.Pipe()
	other.Close()
	w := &shown{display: &display{w: out, secrets: newPatterns()}, scheme: scheme, decode: s.Decode}
	talk := w.Connection(c, false).(*talk)
	out.Reset()
	return talk
}

// No password is shown, however the client sends it.
func TestShowHidesPasswords(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ scheme, talk, want string }{
		{"ftp", "CUSER ann|CPASS s3same|CACCT s3same|CAUTH TLS", "C: USER ann|C: PASS ***|C: ACCT ***|C: AUTH TLS"},
		{"news", "CAUTHINFO USER ann|CAUTHINFO PASS s3same|S281 ok|CPOST|S340 go on|CPass the salt", "C: AUTHINFO USER ann|C: AUTHINFO PASS ***|S: 281 ok|C: POST|S: 340 go on|C: Pass the salt"},
		{"news", "CAUTHINFO SASL LOGIN|S383 =|Cs3same|S383 =|Cs3same|S281 ok|CDATE", "C: AUTHINFO SASL LOGIN|S: 383 =|C: ***|S: 383 =|C: ***|S: 281 ok|C: DATE"},
		{"smtp", "CEHLO me|CAUTH LOGIN|S250 hello|S334 VXNlcg|Cs3same|S334 UGFzcw|Cs3same|S235 ok|CMAIL FROM:<a@b>", "C: EHLO me|C: AUTH LOGIN|S: 250 hello|S: 334 VXNlcg|C: ***|S: 334 UGFzcw|C: ***|S: 235 ok|C: MAIL FROM:<a@b>"},
		{"smtp", "CAUTH PLAIN s3same|S535 no", "C: AUTH PLAIN ***|S: 535 no"},
		{"imap", "CLOGIN ann s3same|SLOGIN BAD", "C: LOGIN ***|S: LOGIN BAD"}, // the tag is missing
		{"imap", "Ca1 LOGIN ann s3same|Sa1 OK|Ca2 SELECT INBOX", "C: a1 LOGIN ***|S: a1 OK|C: a2 SELECT INBOX"},
		{"imap", "Ca1 login {3}|S+ go|Cann {6}|S+ go|Cs3same|S* OK|Sa1 OK|Ca2 NOOP", "C: a1 login ***|S: + go|C: ***|S: + go|C: ***|S: * OK|S: a1 OK|C: a2 NOOP"},
		{"imap", "Ca1 AUTHENTICATE PLAIN|S+|Cs3same|Sa1 NO", "C: a1 AUTHENTICATE PLAIN|S: +|C: ***|S: a1 NO"},
		{"dict", "CAUTH ann s3same|SASLAUTH", "C: AUTH ann ***|S: ASLAUTH"},
		{"cso", "Clogin ann|S301:4711|Canswer s3same|Cclear s3same", "C: login ann|S: 301:4711|C: answer ***|C: clear ***"},
		{"http", "CGET / HTTP/1.1|Cproxy-Authorization:Basic s3same|CReferer: http://a:s3same@h/x|SSet-Cookie: id=s3same", "C: GET / HTTP/1.1|C: proxy-Authorization: ***|C: Referer: http://a:***@h/x|S: Set-Cookie: ***"},
		{"gopher", "C/form\t+\t1|C+-1|Cann|Cs3same|C.", "C: /form\\t+\\t1|C: +-1|C: ***|C: ***|C: ."},
		{"finger", "Cpass s3same", "C: pass ***"},
		{"gemini", "Cgemini://ann:s3same@h:1965/x", "C: gemini://ann:***@h:1965/x"},
	} {
		var out bytes.Buffer
		talk := newTalk(t, x.scheme, &out)
		for line := range strings.SplitSeq(x.talk, "|") {
			talk.Data(line[0], []byte(line[1:]+"\r\n"))
		}
		talk.Closed()
		if got := strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\n", "|"); got != x.want {
			t.Errorf("%s: %s: got\n%s\nwant\n%s", x.scheme, x.talk, got, x.want)
		}
	}
}

// A password that is cut into pieces, or is longer than a shown line, is hidden, too. So is what is typed after a prompt for a password, and its echo.
func TestShowHidesPieces(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	talk := newTalk(t, "ftp", &out)
	talk.Data('C', []byte("PA"))
	talk.Data('S', []byte("421 hurry\r\n"))
	talk.Data('C', []byte("SS s3"))
	talk.Data('C', []byte("same\r\nRETR http://ann:"+strings.Repeat("s3same", 1000)+"@h/\r\nPASS s3s"))
	talk.Closed()
	want := "S: 421 hurry\nC: PASS ***\nC: RETR http://ann:***\\\n*: (C: 5021 more bytes)\nC: PASS ***\\\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, scheme := range []string{"telnet", "rlogin"} {
		talk := newTalk(t, scheme, &out)
		for _, piece := range []string{"Slogin: ", "Cann\r", "SPassword: ", "Cs3", "Ss3", "Csame", "Ssame", "C\r", "S\r\n", "S$ ", "Cls\r\n"} {
			talk.Data(piece[0], []byte(piece[1:]))
		}
		talk.Closed()
		want := "S: login: \\|C: ann\\r\\|S: Password: \\|C: ***\\|C: \\r\\|S:|S: $ \\|C: ls|"
		if got := strings.ReplaceAll(out.String(), "\n", "|"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", scheme, got, want)
		}
	}
}

// A client that sends megabytes without a line end costs neither memory nor output, and neither does a server's long document.
func TestShowIsBounded(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "ftp", "ldap", "wais", "telnet", "tn3270", "rlogin"} {
		var out bytes.Buffer
		talk := newTalk(t, scheme, &out)
		piece := bytes.Repeat([]byte("ab\x00\xff0\n"), 4<<10)
		long := bytes.Repeat([]byte("x"), 32<<10)
		for range 20 {
			talk.Data('C', long)
			talk.Data('S', long)
			talk.Data('S', piece)
		}
		for range 20 {
			talk.Data('C', long)
		}
		for dir, s := range talk.sides {
			if cap(s.line) > 4*maxRow {
				t.Errorf("%s: %c: got a buffer of %d bytes, want at most %d", scheme, dir, cap(s.line), 4*maxRow)
			}
		}
		if n := out.Len(); n > 200<<10 {
			t.Errorf("%s: got %d bytes of output, want at most 200 kB", scheme, n)
		}
	}
}

// FuzzShow checks that what is shown has no control characters, whatever is sent.
func FuzzShow(f *testing.F) {
	f.Add("telnet", []byte("\xff\xfd\x18\xff\xfa\x18\x00x\xff\xf0login: "), []byte("ann\r\n\x1b]0;x\a"))
	f.Add("http", []byte("HTTP/1.0 200 OK\r\n\r\n\x00\x01"), []byte("GET / HTTP/1.0\r\nCookie: a=b\r\n\r\n"))
	f.Add("ldap", []byte("0\x0c\x02\x01\x01a\x07\x0a\x01\x00\x04\x00\x04\x00"), []byte("0\x0c\x02\x01\x01`\x07\x02\x01\x03\x04\x00\x80\x00"))
	f.Fuzz(func(t *testing.T, scheme string, server, client []byte) {
		var out bytes.Buffer
		talk := newTalk(t, scheme, &out)
		for len(server)+len(client) > 0 {
			n := min(7, len(client))
			talk.Data('C', client[:n])
			client = client[n:]
			n = min(11, len(server))
			talk.Data('S', server[:n])
			server = server[n:]
		}
		talk.Left()
		talk.Closed()
		for i, c := range out.Bytes() {
			if c < ' ' && c != '\n' || c == 0x7f {
				t.Fatalf("got the byte %#x at %d of %q, want it escaped", c, i, out.String())
			}
		}
	})
}
