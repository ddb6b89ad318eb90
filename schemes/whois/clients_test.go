package whois_test

import (
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/whois/whoistest"
	"example.org/deref/testdata"
)

// TestWhois runs Debian's whois.
func TestWhois(t *testing.T) {
	other := whoistest.NewServer(testdata.Site(), nil)
	defer other.Close()
	s := whoistest.NewServer(testdata.Site(), &whoistest.Options{Refer: map[string]string{"elsewhere": other.Addr}})
	defer s.Close()
	host, port, _ := net.SplitHostPort(s.Addr)
	for _, x := range []struct{ query, want string }{
		{"history/ftp.txt", "ftp\n---\nThe oldest of the schemes' protocols"},
		{"names", "names/with blank.txt\n"},
		{"nothing", "No match for \"nothing\".\n"},
		{"elsewhere", "refer: " + other.Addr + "\n"},
	} {
		out, err := lab.Run(t, "whois", "-h", host, "-p", port, x.query)
		if got := strings.ReplaceAll(out, "\r\n", "\n"); !strings.Contains(got, x.want) || err != nil {
			t.Errorf("%s: %q, %v; want %q; the server received %q", x.query, got, err, x.want, s.Transcript())
		}
	}
}

// TestNc sends a query of each protocol as a user would.
func TestNc(t *testing.T) {
	for _, x := range []struct {
		templates bool
		want      string
	}{{false, "ftp\r\n---\r\n"}, {true, "# FULL TEXT WHOISTEST history/ftp.txt\r\n Name: history/ftp.txt\r\n text: ftp\r\n----\r\n"}} {
		s := whoistest.NewServer(testdata.Site(), &whoistest.Options{Templates: x.templates})
		if out := lab.Netcat(t, s.Addr, "history/ftp.txt\r\n"); !strings.Contains(out, x.want) {
			t.Errorf("templates %t: got %q, want %q", x.templates, out, x.want)
		}
		s.Close()
	}
}
