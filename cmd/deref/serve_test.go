package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/cmd/command"
	"example.org/deref/fetch/fetchtest/loopback"
)

// `deref serve -v` writes on standard error what another program sends.
func TestServeVerbose(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	errs, err := os.Create(filepath.Join(dir, "errs"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- command.Main(ctx, []string{"serve", "-v", "--only", "finger"}, command.Environment{Stdin: out, Stdout: in, Stderr: errs, Getenv: func(string) string { return "" }})
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "finger://")
	if !ok {
		t.Fatalf("got %q, %v, want the server's URL", line, err)
	}
	addr, _, _ := strings.Cut(url, "/")
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "/W README.txt\n")
	io.ReadAll(c)
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("got exit status %d, want 0", code)
	}
	errs.Close()
	shown, _ := os.ReadFile(errs.Name())
	for _, want := range []string{"*: [connected to " + addr + "]\n", "*: (finger, client 127.0.0.1:", "C: /W README.txt\\n\\\n", "*: [end]\n"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("got\n%s\nwant %q in it", shown, want)
		}
	}
}

// TestServeRefuses: an address that no menu can contain, and a port that is taken.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	_, port, _ := net.SplitHostPort(loopback.ForTest(t, func(net.Conn) {}))
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	const finger = 79
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--listen", "0.0.0.0"}, 2, "deref: usage: --listen: must be one address of this machine"},
		{[]string{"--port-base", strconv.Itoa(n - finger), "--only", "finger"}, 14, "\nderef: hint: another --port-base N has other ports"},
	} {
		errs, err := os.Create(filepath.Join(t.TempDir(), "errs"))
		if err != nil {
			t.Fatal(err)
		}
		status := command.Main(t.Context(), append([]string{"serve"}, c.args...), command.Environment{Stdin: errs, Stdout: errs, Stderr: errs, Getenv: func(string) string { return "" }})
		if text, err := os.ReadFile(errs.Name()); status != c.status || err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("serve %q: got %d, %s, %v, want %d and %q", c.args, status, text, err, c.status, c.want)
		}
	}
}
