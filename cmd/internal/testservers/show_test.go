package testservers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A syncBuffer is what Show writes.
type syncBuffer struct {
	mu    sync.Mutex
	b     bytes.Buffer
	wrote chan struct{} // has a value after a Write
}

func newSyncBuffer() *syncBuffer { return &syncBuffer{wrote: make(chan struct{}, 1)} }

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.wrote <- struct{}{}:
	default:
	}
	return s.b.Write(p)
}

// waitForEnds waits until the end of n connections is shown: which of both sides has closed it first. A server may show that after the client
// has received everything.
func (s *syncBuffer) waitForEnds(t *testing.T, n int) {
	t.Helper()
	end := regexp.MustCompile(`(?m): (\[end\]|\(the client has closed the connection\))$`)
	for len(end.FindAllString(s.String(), -1)) < n {
		<-s.wrote
	}
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// shownServers starts servers whose conversations are shown in out. stop ends them, and returns what was shown.
func shownServers(t *testing.T, only ...string) (addr func(scheme string) string, out *syncBuffer, stop func() string) {
	t.Helper()
	list, err := Start(testdata.Site(), 0, only)
	if err != nil {
		t.Fatal(err)
	}
	out = newSyncBuffer()
	Show(list, schemes.All(nil), out)
	stopped := sync.OnceFunc(func() { Stop(list) })
	t.Cleanup(stopped)
	addr = func(scheme string) string {
		a, err := uri.MustParse(URLOf(list, scheme)).HostPort(0)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	return addr, out, func() string { stopped(); return out.String() }
}

// checkShown checks that shown has each of the lines, in this order.
func checkShown(t *testing.T, shown string, want ...string) {
	t.Helper()
	rest := shown
	for _, w := range want {
		_, after, ok := strings.Cut("\n"+rest, "\n"+w+"\n")
		if !ok {
			t.Errorf("got\n%s\nwant the line %q after those before it", shown, w)
			return
		}
		rest = after
	}
}

// withoutNumbers removes the numbers of connections: it depends on the server how long after [end] one can be used again.
func withoutNumbers(shown string) string {
	return regexp.MustCompile(`(?m)^([CS*])[1-9][0-9]*:`).ReplaceAllString(shown, "$1:")
}

// exchange sends text, and returns what the server sends until it closes the connection.
func exchange(t *testing.T, addr, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, text)
	c.(*net.TCPConn).CloseWrite()
	b, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%s: got %v, want an orderly end", addr, err)
	}
	return string(b)
}

// What a pupil's program sends over a plain socket is shown byte by byte, and a wrong line end, too.
func TestShowPlainSockets(t *testing.T) {
	t.Parallel()
	addr, out, stop := shownServers(t, "gopher", "finger", "http", "rlogin", "telnet", "ldap")
	for i, x := range []struct{ scheme, text string }{
		{"gopher", "/names/0\r\n"},
		{"finger", "no\x07body\x1b[2J\xff\n"},
		{"http", "GET http://ann:s3same@h/?password=s3same HTTP/1.0\r\nAuthorization: Basic YW5uOnMzc2FtZQ==\r\n\r\n"},
		{"rlogin", "\x00ann\x00bob\x00xterm/38400\x00who\rquit\r"},
		{"telnet", "\xff\xfd\x03quit\r\n"},
		{"ldap", "0\x17\x02\x01\x01`\x12\x02\x01\x03\x04\x04cn=a\x80\x07s3same!0\x05\x02\x01\x02B\x00"},
		{"ldap", "GET / HTTP/1.0\r\nCookie: id=s3same\r\n\r\n"},
	} {
		exchange(t, addr(x.scheme), x.text)
		out.waitForEnds(t, i+1)
	}
	shown := withoutNumbers(stop())
	checkShown(t, shown, "*: [connected to "+addr("gopher")+"]", "C: /names/0", `S: I am the file "0".`, "*: [end]")
	checkShown(t, shown, `C: no\x07body\x1b[2J\xff\n\`)
	checkShown(t, shown, "C: GET http://ann:***@h/?password=*** HTTP/1.0", "C: Authorization: ***", "C:", "S: HTTP/1.0 200 OK")
	checkShown(t, shown, `C: NUL "ann" NUL "bob" NUL "xterm/38400" NUL`, `C: who\rquit\r\`)
	checkShown(t, shown, "S: IAC DO TERMINAL-TYPE", "C: IAC DO SUPPRESS-GO-AHEAD", "C: quit")
	checkShown(t, shown, `C: bindRequest 1 version 3 "cn=a" simple ***`, "C: unbindRequest 2", "S: bindResponse 1 Invalid Credentials (49)")
	checkShown(t, shown, "*: (C: what follows is not ldap)", "C: GET / HTTP/1.0", "C: Cookie: ***")
	for _, secret := range []string{"s3same", "YW5u", "\a", "\x1b"} {
		if strings.Contains(shown, secret) {
			t.Errorf("got %q in\n%s\nwant it hidden or escaped", secret, shown)
		}
	}
}

// Connections that are open at the same time have different numbers. A number is used again when its connection is closed.
func TestShowConcurrentConnections(t *testing.T) {
	t.Parallel()
	addr, _, stop := shownServers(t, "ftp")
	open := func() (command func(string)) {
		c, err := net.Dial("tcp", addr("ftp"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		r := bufio.NewReader(c)
		command = func(line string) {
			io.WriteString(c, line)
			if _, err := r.ReadString('\n'); err != nil {
				t.Errorf("%q: got %v, want a reply", line, err)
			}
		}
		command("") // the greeting
		return command
	}
	first, second := open(), open()
	second("USER ann\r\n")
	first("USER bob\r\n")
	first("PASS s3same\r\n")
	shown := stop()
	checkShown(t, shown, "C2: USER ann", "S2: 331 Password required for ann", "C: USER bob", "S: 331 Password required for bob", "C: PASS ***")
	d := &display{w: io.Discard}
	if got := fmt.Sprint(d.number(), d.number()); got != "1 2" {
		t.Errorf("got the numbers %s, want 1 2", got)
	}
	d.used[0] = false
	if n := d.number(); n != 1 || len(d.used) != 2 {
		t.Errorf("got number %d of %d, want 1 of 2: it is free again", n, len(d.used))
	}
}

// deref's own conversations are shown for every server, binary ones decoded, those within TLS too.
func TestShowEveryScheme(t *testing.T) {
	t.Parallel()
	list, err := Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := newSyncBuffer()
	Show(list, schemes.All(nil), out)
	c := fetch.New(schemes.All(nil)...)
	Join(c, list)
	for _, r := range list {
		if r.Scheme == "smtp" {
			exchange(t, strings.TrimPrefix(r.URL, "smtp://"), "EHLO me\r\nQUIT\r\n")
			continue
		}
		paths := r.Samples()
		if d, _ := c.Get(t.Context(), uri.MustParse(r.URL+paths[len(paths)-1]), nil); d != nil {
			io.Copy(io.Discard, d.Body)
			d.Body.Close()
		}
	}
	c.Close()
	Stop(list)
	shown := withoutNumbers(out.String())
	for _, r := range list {
		if !strings.Contains(shown, "("+r.Scheme+", client 127.0.0.1:") {
			t.Errorf("got no conversation of %s, want one", r.Scheme)
		}
	}
	for _, prefix := range []string{"C: GET /names/with%20blank.txt HTTP/1.1", "C: RETR ftp.txt", "C: /history/gopher.txt", "C: ARTICLE 1", "*: [TLS 1.3]",
		"C: gemini://127.0.0.1:", "C: EHLO me", "C: searchRequest ", "C0: version 2c community *** get-", "C: SearchRequest ", "C: IAC WONT NEW-ENVIRON",
		`C: NUL "" NUL "" NUL "xterm/38400" NUL`, "C: IAC SB TN3270E ", "C0: ARDP connection ", "C: DEFINE history ftp"} {
		if !strings.Contains("\n"+shown, "\n"+prefix) {
			t.Errorf("got no line that begins with %q, want one in\n%s", prefix, shown)
		}
	}
}

// Clients that are not deref's are shown as well.
func TestShowOtherClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs other programs")
	}
	t.Parallel()
	for _, x := range []struct {
		program string
		args    func(addr func(string) string) []string
		want    []string
	}{
		{"curl", func(addr func(string) string) []string {
			return []string{"-s", "-A", "pupil", "-u", "ann:s3same", "http://" + addr("http") + "/README.txt"}
		}, []string{"C: GET /README.txt HTTP/1.1", "C: Authorization: ***", "C: User-Agent: pupil", "S: HTTP/1.1 200 OK"}},
		{"curl", func(addr func(string) string) []string {
			return []string{"-s", "ftp://" + addr("ftp") + "/history/ftp.txt"}
		},
			[]string{"C: USER anonymous", "C: PASS ***", "C: CWD history", "C: RETR ftp.txt", "S: 226 Transfer complete"}},
		{"curl", func(addr func(string) string) []string {
			return []string{"-s", "-k", "https://" + addr("gopher") + "/"}
		},
			[]string{"*: (the client begins TLS, which this server does not expect)"}},
		{"lynx", func(addr func(string) string) []string {
			return []string{"-dump", "gopher://" + addr("gopher") + "/0/names/0"}
		},
			[]string{"C: /names/0", `S: I am the file "0".`}},
	} {
		t.Run(x.program+" "+x.want[0], func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(x.program)
			if err != nil {
				t.Skip(err)
			}
			addr, shows, stop := shownServers(t, "http", "ftp", "gopher")
			out, err := exec.CommandContext(t.Context(), path, x.args(addr)...).CombinedOutput()
			shows.waitForEnds(t, 1)
			shown := stop()
			checkShown(t, shown, x.want...)
			if t.Failed() {
				t.Logf("%s printed %s, %v", x.program, out, err)
			}
			if strings.Contains(shown, "s3same") {
				t.Errorf("got the password in\n%s", shown)
			}
		})
	}
}
