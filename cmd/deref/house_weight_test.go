package main

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostTokens bounds the tokens of Go code, without tests, testdata and comments. It falls with the code. It rises only in a commit that says why.
const mostTokens = 897_100

// theWholeDoesNotGrow counts tokens, which do not change when code is only formatted in another way.
func theWholeDoesNotGrow(t *testing.T, files []goFile) {
	tokens := 0
	for _, f := range files {
		if f.isTest() || strings.HasPrefix(f.path, ".") || strings.HasPrefix(f.path, "testdata/") || strings.Contains(f.path, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", f.path))
		if err != nil {
			t.Fatal(err)
		}
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
