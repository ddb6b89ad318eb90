package cso_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/cso/csotest"
	"example.org/deref/testdata"
)

// TestLynx prints the search form that lynx makes from the list of fields.
func TestLynx(t *testing.T) {
	s := csotest.NewServer(testdata.Site(), nil)
	defer s.Close()
	out, err := lab.Run(t, "lynx", "-dump", s.URL+"/")
	for _, want := range []string{"CSO/PH Query Form", "The alias of a file.", "The name of a file.", "The text of a file."} {
		if !strings.Contains(out, want) || err != nil {
			t.Errorf("no %q: %v\n%s", want, err, out)
		}
	}
}

// TestNc sends commands as a user would: no client of the protocol is packaged.
func TestNc(t *testing.T) {
	s := csotest.NewServer(testdata.Site(), nil)
	defer s.Close()
	out := lab.Netcat(t, s.Addr, "query ftp return alias\r\nquery nothing\r\nquit\r\n")
	const want = "102:There were 1 matches to your request.\r\n-200:1:       alias: history/ftp.txt\r\n200:Ok.\r\n" +
		"501:No matches to your query.\r\n203:Bye, bye\r\n"
	if out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}
