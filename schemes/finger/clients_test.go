package finger_test

import (
	"io/fs"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/testdata"
)

// ownPort starts a server on the port of the protocol, the only one that finger and lynx use. It skips the test if that is not allowed.
func ownPort(t *testing.T) *loopback.Server {
	t.Helper()
	s, err := fingertest.Listen(testdata.Site(), &fingertest.Options{Addr: "127.0.0.1:79"})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestFinger(t *testing.T) {
	s := ownPort(t)
	text, err := fs.ReadFile(testdata.Site(), "history/ftp.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ args, want string }{
		{"@127.0.0.1", "Login\nREADME.txt\na\n"},
		{"history/ftp.txt@127.0.0.1", string(text)},
		{"-l history/ftp.txt@127.0.0.1", "Login: history/ftp.txt\n" + string(text)},
		{"nobody@127.0.0.1", "finger: nobody: no such user.\n"},
		{"ann@other@127.0.0.1", "forwarding service denied"},
	} {
		out, err := lab.Run(t, "finger", strings.Fields(x.args)...)
		if got := strings.ReplaceAll(out, "\r\n", "\n"); !strings.Contains(got, x.want) || err != nil {
			t.Errorf("%s: %q, %v; want %q; the server received %q", x.args, got, err, x.want, s.Transcript())
		}
	}
}

func TestLynx(t *testing.T) {
	s := ownPort(t)
	out, err := lab.Run(t, "lynx", "-dump", "finger://127.0.0.1/README.txt")
	if want := "This small tree is served"; !strings.Contains(out, want) || err != nil {
		t.Errorf("got %q, %v, want %q; the server received %q", out, err, want, s.Transcript())
	}
}

func TestLinks(t *testing.T) {
	s := fingertest.NewServer(testdata.Site(), nil)
	defer s.Close()
	out, err := lab.Run(t, "links", "-dump", "finger://README.txt@"+s.Addr+"/")
	if want := "This small tree is served"; !strings.Contains(out, want) || err != nil {
		t.Errorf("got %q, %v, want %q; the server received %q", out, err, want, s.Transcript())
	}
}

// TestNc sends a query as a user would.
func TestNc(t *testing.T) {
	s := fingertest.NewServer(testdata.Site(), nil)
	defer s.Close()
	out := lab.Netcat(t, s.Addr, "/W history/ftp.txt\n")
	if want := "Login: history/ftp.txt\r\nftp\r\n"; !strings.Contains(out, want) {
		t.Errorf("got %q, want %q", out, want)
	}
}
