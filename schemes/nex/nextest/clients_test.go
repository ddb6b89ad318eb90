package nextest

import (
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/testdata"
)

// TestNc sends requests as a user would: no client of the protocol is packaged.
func TestNc(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	host, port, _ := net.SplitHostPort(s.Addr)
	for request, want := range map[string]string{
		"/history/ftp.txt\n":  "ftp\n---\n",
		"history/ftp.txt\r\n": "ftp\n---\n",
		"/history/\n":         "=> ./00-names.txt 00-names.txt\n",
		"\n":                  "=> ./README.txt README.txt\n=> ./a/ a\n",
		"/nothing\n":          "document not found\n",
	} {
		cmd := lab.Client(t, "nc", host, port)
		cmd.Stdin = strings.NewReader(request)
		if out, err := cmd.Output(); !strings.HasPrefix(string(out), want) || err != nil {
			t.Errorf("%q: %q, %v; want %q", request, out, err, want)
		}
	}
}
