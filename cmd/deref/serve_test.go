package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/cmd/command"
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
