package main

import (
	"go/scanner"
	"go/token"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// mostTokens bounds the tokens of Go code, without tests, testdata and comments. It falls with the code. It rises only in a commit that says why.
const mostTokens = 830_000

// theWholeDoesNotGrow counts tokens, which do not change when code is only formatted in another way.
func theWholeDoesNotGrow(t *testing.T, files []goFile) {
	tokens := 0
	for _, f := range files {
		if f.isTest() || strings.HasPrefix(f.path, ".") || strings.HasPrefix(f.path, "testdata/") || strings.Contains(f.path, "/testdata/") {
			continue
		}
		text := []byte(contents(t, "../../"+f.path))
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
		for {
			_, tok, literal := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok != token.SEMICOLON || literal != "\n" { // the end of a line
				tokens++
			}
		}
	}
	if tokens > mostTokens || tokens < mostTokens*99/100 {
		t.Errorf("got %d tokens, want at most %d, and mostTokens to be near", tokens, mostTokens)
	}
}

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

// BenchmarkStart measures a whole process that prints a document of a few bytes.
func BenchmarkStart(b *testing.B) {
	command := derefCommand(b)
	var processor time.Duration
	for b.Loop() {
		cmd := command("data:,text")
		if out, err := cmd.Output(); err != nil || string(out) != "text" {
			b.Fatalf("got %q, %v", out, err)
		}
		processor += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(processor)/float64(b.N), "cpu-ns/op")
}
