package command_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/cmd/command"
)

// TestValuesFromFiles checks that a file of -H, -w and uri find is the Environment's standard input if it has the name "-", and that none is cut.
func TestValuesFromFiles(t *testing.T) {
	small, large := filepath.Join(t.TempDir(), "small"), filepath.Join(t.TempDir(), "large")
	for name, text := range map[string]string{small: "X-A: <http://h/>\n", large: strings.Repeat("X-A: b\n", 17<<20/7)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"explain", "-H", "@FILE", "http://h/"}, {"-w", "@FILE", "data:,a"}, {"uri", "find", "FILE"}} {
		for _, tt := range []struct {
			file, stdin string
			status      int
			want        string
		}{
			{small, os.DevNull, 0, "http://h/"},
			{"-", small, 0, "http://h/"},
			{large, os.DevNull, 14, large + " is longer than 1"},
			{"-", large, 14, "- is longer than 1"},
			{small + "er", os.DevNull, 14, "no such file"},
		} {
			var with []string
			for _, a := range args {
				with = append(with, strings.Replace(a, "FILE", tt.file, 1))
			}
			if got, status := runWithInput(t, tt.stdin, with...); status != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("deref %q < %s: got status %d and %.200q, want %d and %q", with, tt.stdin, status, got, tt.status, tt.want)
			}
		}
	}
}

// runWithInput runs a command line, and returns what it prints.
func runWithInput(t *testing.T, stdin string, args ...string) (string, int) {
	t.Helper()
	in, err := os.Open(stdin)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	status := make(chan int)
	go func() {
		s := command.Main(t.Context(), args, command.Environment{Stdin: in, Stdout: w, Stderr: w, Getenv: func(string) string { return "" }})
		w.Close()
		status <- s
	}()
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), <-status
}

// TestInterruptedBetweenDocuments interrupts a run while the report on the first document is printed: the second was not retrieved.
func TestInterruptedBetweenDocuments(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e := command.Environment{Stdin: os.Stdin, Stdout: w, Stderr: os.Stderr, Getenv: func(string) string { return "" }}
	status := make(chan int)
	go func() {
		status <- command.Main(ctx, []string{"-w", strings.Repeat("x", 1<<20), "data:,a", "data:,b"}, e)
	}()
	r.Read(make([]byte, 1))
	interrupt()
	io.Copy(io.Discard, r)
	if got := <-status; got != 130 {
		t.Errorf("got status %d, want 130", got)
	}
}
