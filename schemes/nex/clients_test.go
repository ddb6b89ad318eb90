package nex_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/testdata"
)

// TestNc sends requests as a user would: no client of the protocol is packaged.
func TestNc(t *testing.T) {
	s := nextest.NewServer(testdata.Site(), nil)
	defer s.Close()
	for request, want := range map[string]string{
		"/history/ftp.txt\n":  "ftp\n---\n",
		"history/ftp.txt\r\n": "ftp\n---\n",
		"/history/\n":         "=> ./00-names.txt 00-names.txt\n",
		"\n":                  "=> ./README.txt README.txt\n=> ./a/ a/\n",
		"/nothing\n":          "document not found\n",
	} {
		if out := lab.Netcat(t, s.Addr, request); !strings.HasPrefix(out, want) {
			t.Errorf("%q: got %q, want %q", request, out, want)
		}
	}
}
