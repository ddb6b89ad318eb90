package lab_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
)

// A test against a real server, which is skipped if the server is not installed.
func Example() {
	_ = func(t *testing.T) {
		addr := lab.Server(t, "vsftpd")
		out, err := lab.Run(t, "curl", "-s", "ftp://"+addr+"/")
		if !strings.Contains(out, "pub") || err != nil {
			t.Errorf("got %q, %v, want a listing with pub", out, err)
		}
	}
}
