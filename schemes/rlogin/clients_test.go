package rlogin_test

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/rlogin/rlogintest"
	"example.org/deref/testdata"
)

// TestRlogin runs a session in a terminal. The client binds a port below 1024, which needs a privilege.
func TestRlogin(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("rlogin needs a port below 1024")
	}
	s := rlogintest.NewServer(testdata.Site(), &rlogintest.Options{Screen: "history/telnet.txt", LowPort: true})
	defer s.Close()
	host, port, _ := net.SplitHostPort(s.Addr)
	out := lab.Talk(t, lab.Terminal(t, "rlogin", "-p", port, "-l", "ann", host), rlogintest.Prompt, "who\r", rlogintest.Prompt, "quit\r")
	for _, want := range []string{"Many library catalogues", "root is ann at xterm/38400", "Goodbye."} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if got, want := s.Transcript(), []string{"root ann xterm/38400", "who", "quit"}; !slices.Equal(got, want) {
		t.Errorf("the host received %q, want %q", got, want)
	}
}

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}
