package main

import (
	"fmt"
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
	stdout, stderr, code := invoked(t, input{stdin: list, env: []string{"no_proxy=*"}}, "--json", "--input", "-")
	lines := map[string]int{}
	for line := range strings.Lines(stderr) {
		for _, kind := range []string{"connect", "dns"} {
			if strings.HasPrefix(line, "deref: "+kind+": ") {
				lines[kind]++
			}
		}
	}
	if objects := strings.Count(stdout, "\n"); code == 0 || lines["connect"] != 2 || lines["dns"] != 1 || objects != 30 || !strings.Contains(stderr, "30 failed") {
		t.Errorf("exit status %d; %d lines for connect, want 2, %d for dns, want 1; %d objects, want 30\n%s", code, lines["connect"], lines["dns"], objects, stderr)
	}
}
