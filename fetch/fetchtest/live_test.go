package fetchtest_test

import (
	"net"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
)

// A Live case connects to a real server.
func TestLive(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}}, nil)
	defer srv.Close()
	fetchtest.Test(t, gopher.Schemes()[0],
		fetchtest.Case{URI: srv.URL + "/0/about.txt", Name: "text", Live: true, Body: "All about us.\r\n"},
		fetchtest.Case{URI: srv.URL + "/1/", Name: "menu", Live: true},
		fetchtest.Case{URI: srv.URL + "/0/none", Name: "missing", Live: true, Err: fetch.ErrNotFound},
	)
}

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func TestServerAnswers(t *testing.T) {
	addr := lab.Server(t, "vsftpd")
	if addr != "127.0.0.1:24021" {
		t.Errorf("got %s, want 127.0.0.1:24021", addr)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	greeting := make([]byte, 4)
	if _, err := c.Read(greeting); err != nil || string(greeting) != "220 " {
		t.Errorf("got %q, %v, want %q", greeting, err, "220 ")
	}
	if b := lab.Read(t, "motd"); len(b) == 0 {
		t.Error("motd is empty")
	}
}

func TestServerWithoutLink(t *testing.T) {
	if addr := lab.Server(t, "proftpds"); addr != "127.0.0.1:24990" {
		t.Errorf("got %s, want 127.0.0.1:24990", addr)
	}
}

// A test against a real server, which is skipped if the server is not installed.
func Example_lab() {
	_ = func(t *testing.T) {
		addr := lab.Server(t, "vsftpd")
		out, err := lab.Run(t, "curl", "-s", "ftp://"+addr+"/")
		if !strings.Contains(out, "pub") || err != nil {
			t.Errorf("got %q, %v, want a listing with pub", out, err)
		}
	}
}
