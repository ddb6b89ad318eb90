package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart measures a whole process that prints a document of a few bytes.
func BenchmarkStart(b *testing.B) {
	command := derefCommand(b)
	timed(b, func() *exec.Cmd { return command("data:,hello") })
}

// BenchmarkMany measures a process that fetches 500 documents of 2 KiB from a server on this machine, eight at a time.
func BenchmarkMany(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 2<<10))
	}))
	defer s.Close()
	command, list, dir := derefCommand(b), strings.Builder{}, b.TempDir()
	for i := range 500 {
		fmt.Fprintf(&list, "%s/%d.txt\n", s.URL, i)
	}
	n := 0
	timed(b, func() *exec.Cmd {
		n++
		cmd := command("--input", "-", "-Z", "--parallel-max", "8", "-s", "-O", "--create-dirs", "--output-dir", filepath.Join(dir, fmt.Sprint(n)))
		cmd.Stdin = strings.NewReader(list.String())
		return cmd
	})
}

// timed runs a process for each iteration and reports its processor time, too.
func timed(b *testing.B, next func() *exec.Cmd) {
	b.Helper()
	var used time.Duration
	for b.Loop() {
		cmd := next()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("got %v, %s, want success", err, out)
		}
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
}
