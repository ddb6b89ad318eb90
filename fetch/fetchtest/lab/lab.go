// Package lab finds the real servers that the project is tested against, and starts them. LAB_SERVERS names the directory of their scripts,
// LAB_DIR the one that holds their programs and their state.
//
//	addr := lab.Server(t, "vsftpd") // "127.0.0.1:24021"
//
// If a variable is not set or a server is not installed the test is skipped, or fails if DEREF_REAL is "all". Servers are left running:
// starting them takes seconds, and other packages' tests use them at the same time.
package lab

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// patience is how long to wait for a server to start. The first start creates the content of all servers.
const patience = 2 * time.Minute

// Server returns the address of the named server, which it starts if it is not running.
func Server(t testing.TB, name string) string {
	t.Helper()
	dir := scripts(t)
	Dir(t) // or skip
	addr := net.JoinHostPort("127.0.0.1", port(t, dir, name))
	if answers(addr) {
		return addr
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(Dir(t), "lock")).Lock() // by tests of several packages
	if err != nil {
		skip(t, "cannot use the directory of LAB_DIR: %v", err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := command(ctx, t, script(t, dir, name), "start")
	out, err := cmd.CombinedOutput()
	if err != nil {
		skip(t, "%s does not start: %v: %s", name, err, bytes.TrimSpace(out))
	}
	return addr
}

// answers reports whether a server listens on addr. If so, a test does not have to wait for others that start servers.
func answers(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// Dir returns the directory that holds the servers' state.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("LAB_DIR")
	if dir == "" {
		skip(t, "LAB_DIR names no directory for the state of real servers")
	}
	return dir
}

// Content returns the path of a file that the servers serve, such as "pub/lf.txt". A server must have been started before.
func Content(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(Dir(t), "state/content/root", filepath.FromSlash(name))
}

// Read returns the contents of a file that the servers serve.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(Content(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TLS returns a configuration that trusts the authority of the servers' certificate, which is for localhost, lab.test and 127.0.0.1.
func TLS(t testing.TB) *tls.Config {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(Dir(t), "state/content/tls/ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("state/content/tls/ca.pem is not a certificate")
	}
	return &tls.Config{RootCAs: pool}
}

// skip skips a test whose servers are missing.
func skip(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("DEREF_REAL") == "all" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// scripts returns the directory of the servers' scripts.
func scripts(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("LAB_SERVERS")
	if dir == "" {
		skip(t, "LAB_SERVERS names no directory with the scripts of real servers")
	}
	if _, err := os.Stat(filepath.Join(dir, "ports.sh")); err != nil {
		t.Fatalf("LAB_SERVERS: %v", err)
	}
	return dir
}

// port returns the port of a server from ports.sh.
func port(t testing.TB, dir, name string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", `here=$1; . "$1/ports.sh"; lab_port "$2"`, "lab", dir, name)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the lab has no server %q: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// script returns the path of a server's script. Some scripts are links to others, and start another server by that name. In a copy of the
// directory that has a file with the target's name instead of the link, script creates the link.
func script(t testing.TB, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name+".sh")
	b, err := os.ReadFile(path)
	if err != nil {
		skip(t, "%s has no script: %v", name, err)
	}
	target := string(bytes.TrimSpace(b))
	if filepath.Base(target) != target || filepath.Ext(target) != ".sh" {
		return path
	}
	link := filepath.Join(Dir(t), name+".sh")
	if err := os.Symlink(filepath.Join(dir, target), link); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return link
}

// command returns the command of a script, which does not have to be executable.
func command(ctx context.Context, t testing.TB, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", args...)
	cmd.Env = append(os.Environ(), "LAB_DIR="+Dir(t))
	cmd.WaitDelay = time.Second // a daemon may keep our pipe open
	return cmd
}
