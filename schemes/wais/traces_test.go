package wais

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/schemes/wais/internal/z3950"
)

// Sides of the captured dialogues in testdata/traces: freeWAIS-sf 2.2.10's waissearch, and a client made for this purpose, with that package's
// server. The files contain the raw bytes; long ones are gzipped.
const (
	clientSide = "client"
	serverSide = "server"
	traces     = "testdata/traces"
)

// traceNames lists the dialogues.
func traceNames(t testing.TB) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(traces, "*."+clientSide+".bin*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no traces", err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".")
		list = append(list, name)
	}
	return list
}

// traceOctets returns the raw bytes of one side.
func traceOctets(t testing.TB, name, side string) []byte {
	t.Helper()
	file := filepath.Join(traces, name+"."+side+".bin")
	b, err := os.ReadFile(file)
	if err == nil {
		return b
	}
	f, err := os.Open(file + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return b
}

// traceAPDUs returns those of one side, without their headers.
func traceAPDUs(t testing.TB, name, side string) (list [][]byte) {
	t.Helper()
	r := z3950.NewReader(bytes.NewReader(traceOctets(t, name, side)), 1<<20)
	for {
		_, apdu, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%s, %s: %v", name, side, err)
		}
		list = append(list, bytes.Clone(apdu))
	}
}
