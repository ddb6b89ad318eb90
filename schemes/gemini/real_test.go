package gemini

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/tofu"
)

// mollyBrown starts Debian's gemini server on a directory, and returns its URL.
func mollyBrown(t *testing.T, dir string) string {
	t.Helper()
	program, err := exec.LookPath("molly-brown")
	if err != nil {
		if os.Getenv("DEREF_REAL") == "all" {
			t.Fatal(err)
		}
		t.Skipf("apt-get install molly-brown: %v", err)
	}
	addr := loopback.Reserve(t)
	_, port, _ := net.SplitHostPort(addr)
	cert, conf := pemFile(t), filepath.Join(t.TempDir(), "molly.conf")
	text := fmt.Sprintf("Port = %s\nHostname = \"127.0.0.1\"\nCertPath = %q\nKeyPath = %q\nDocBase = %q\n", port, cert, cert, dir) +
		"AccessLog = \"-\"\nErrorLog = \"-\"\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-c", conf)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	loopback.Until(t, "connection to molly-brown", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "gemini://" + addr
}

func TestMollyBrown(t *testing.T) {
	dir := t.TempDir()
	for name, f := range site() {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	base := mollyBrown(t, dir)
	c := fetch.New(Scheme())
	defer c.Close()
	c.FirstUse = new(tofu.Store).Check
	for _, tt := range []struct {
		path, body, at string
		kind           fetch.Kind
	}{
		{"/dove.txt", "A dove.\n", "/dove.txt", ""},
		{"/birds/a%20b.txt", "a b\n", "/birds/a%20b.txt", ""},
		{"/birds/bytes.bin", "\x00\r\n.\r\n\xff", "/birds/bytes.bin", ""},
		{"/with", "an index\n", "/with/", ""}, // after a redirect
		{"/missing", "", "", fetch.ErrNotFound},
	} {
		d, body, err := get(t, c, base+tt.path, nil)
		if body != tt.body || fetch.KindOf(err) != tt.kind || err == nil && d.URI.String() != base+tt.at {
			t.Errorf("%s: got %q, %v, %+v, want %q, kind %q, URI %s", tt.path, body, err, d, tt.body, tt.kind, base+tt.at)
		}
	}
}
