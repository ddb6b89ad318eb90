package telnet_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
)

// TestClients runs sessions with independent clients: with a terminal, without one, and with a program that supports no options.
func TestClients(t *testing.T) {
	for _, x := range []struct {
		name   string
		client func(t *testing.T, s *loopback.Server, host, port string) string
		want   string
	}{
		{"telnet in a terminal", func(t *testing.T, s *loopback.Server, host, port string) string {
			return lab.Talk(t, lab.Terminal(t, "telnet", "-l", "ann", host, port), telnettest.Prompt, "who\r", telnettest.Prompt, "quit\r")
		}, `user "ann", terminal XTERM, 80 x 24`},
		{"telnet without a terminal", func(t *testing.T, s *loopback.Server, host, port string) string {
			return lab.Talk(t, lab.Client(t, "telnet", host, port), telnettest.Prompt, "who\n", telnettest.Prompt, "quit\n")
		}, `user "", terminal DUMB, 0 x 0`},
		{"nc", func(t *testing.T, s *loopback.Server, host, port string) string {
			return lab.Netcat(t, s.Addr, "who\r\nquit\r\n")
		}, `user "", terminal , 0 x 0`},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := telnettest.NewServer(testdata.Site(), &telnettest.Options{Screen: "history/telnet.txt"})
			defer s.Close()
			host, port, _ := net.SplitHostPort(s.Addr)
			out := x.client(t, s, host, port)
			for _, want := range []string{"Many library catalogues", x.want, "Goodbye."} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if got, want := s.Transcript(), []string{"who", "quit"}; !slices.Equal(got, want) {
				t.Errorf("the host received %q, want %q", got, want)
			}
		})
	}
}
