package command

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/cmd/internal/app"
)

// listOf returns a function that fetches a list of so many documents into a new directory.
func listOf(t testing.TB, docs int) (fetch func()) {
	t.Helper()
	addr, dir, round := constantServer(t), t.TempDir(), 0
	var list bytes.Buffer
	for i := range docs {
		fmt.Fprintf(&list, "http://%s/small/d%05d.txt\n", addr, i)
	}
	in := filepath.Join(dir, "list")
	if err := os.WriteFile(in, list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		out, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		round++
		a := app.New(os.Stdin, out, out, func(string) string { return "" })
		args := []string{"-s", "-Z", "--parallel-max", "1", "-O", "--create-dirs", "--output-dir", filepath.Join(dir, fmt.Sprint(round)), "--input", in}
		if code := run(context.Background(), a, args); code != 0 {
			t.Fatalf("got exit code %d, want 0", code)
		}
	}
}

// constantServer answers every request with the same 2 KiB, without allocating memory.
func constantServer(t testing.TB) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	response := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 23 Nov 2026 12:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 2048\r\n"+
		"Last-Modified: Mon, 23 Nov 2026 11:00:00 GMT\r\nConnection: keep-alive\r\nETag: \"6561-800\"\r\nAccept-Ranges: bytes\r\n\r\n%02048d", 0)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						return
					}
					if len(line) == 2 { // the end of a request
						if _, err := c.Write(response); err != nil {
							return
						}
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}
