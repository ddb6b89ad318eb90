package main

import (
	"os/exec"
	"strings"
	"testing"
)

// deref and deref-browse do not link the hub and its server, which are several times as large: only derefd does.
func TestHubIsNotLinked(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "../deref", "../deref-browse")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(string(out))
	if len(list) < 100 {
		t.Fatalf("got %d packages, want at least 100", len(list))
	}
	for _, path := range list {
		if strings.Contains(path, "/nats") || strings.Contains(path, "/minio") || path == "example.org/deref/fetch/hub" {
			t.Errorf("got %s in deref, want it only in derefd", path)
		}
	}
}
