package spartan_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/testdata"
)

// TestNc sends requests as a user would: no client of the protocol is packaged.
func TestNc(t *testing.T) {
	s := spartantest.NewServer(testdata.Site(), nil)
	defer s.Close()
	for request, want := range map[string]string{
		"127.0.0.1 /history/ftp.txt 0\r\n": "2 text/plain\r\nftp\n---\n",
		"127.0.0.1 /history 0\r\n":         "3 /history/\r\n",
		"127.0.0.1 /history/ 0\r\n":        "2 text/gemini\r\n# /history\n=> ./00-names.txt",
		"127.0.0.1 /echo 5\r\nhello":       "2 text/plain\r\nhello",
		"127.0.0.1 /nothing 0\r\n":         "4 there is no such document\r\n",
		"127.0.0.1 /\r\n":                  "4 the request is host, path and length\r\n",
	} {
		if out := lab.Netcat(t, s.Addr, request); !strings.HasPrefix(out, want) {
			t.Errorf("%q: got %q, want %q", request, out, want)
		}
	}
}
