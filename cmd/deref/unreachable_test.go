package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
)

// TestUnreachableServerInList checks that a server that cannot be reached has one line on standard error. --json, the summary and the exit
// status still count every URI, and another server has its own line.
func TestUnreachableServerInList(t *testing.T) {
	var dead []string
	for range 2 {
		dead = append(dead, loopback.Reserve(t))
	}
	list := ""
	for i := range 10 { // from the sixth on, no request is made, and the text differs
		list += fmt.Sprintf("http://%s/%d\nhttp://nosuch.invalid/%d\nftp://%s/%d\n", dead[0], i, i, dead[1], i)
	}
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := derefCommand(t)("--json", "--input", name)
	cmd.Env = append(cmd.Env, "no_proxy=*")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	lines := map[string]int{}
	for line := range strings.Lines(stderr.String()) {
		for _, kind := range []string{"connect", "dns"} {
			if strings.HasPrefix(line, "deref: "+kind+": ") {
				lines[kind]++
			}
		}
	}
	if err == nil || lines["connect"] != 2 || lines["dns"] != 1 || strings.Count(stdout.String(), "\n") != 30 ||
		!strings.Contains(stderr.String(), "30 failed") {
		t.Errorf("%v; %d lines for connect, want 2, %d for dns, want 1; %d objects, want 30\n%s", err, lines["connect"], lines["dns"],
			strings.Count(stdout.String(), "\n"), stderr.String())
	}
}
