// Package traces reads the captured dialogues in schemes/wais/testdata/traces for tests: freeWAIS-sf 2.2.10's waissearch, and a client made for
// this purpose, with that package's server. The files contain the raw bytes of both sides; long ones are gzipped.
package traces

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

// Sides of a dialogue.
const (
	Client = "client"
	Server = "server"
)

// Names lists the dialogues.
func Names(t testing.TB) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir(t), "*."+Client+".bin*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no traces", err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".")
		list = append(list, name)
	}
	return list
}

// dir searches upwards from the tested package.
func dir(t testing.TB) string {
	t.Helper()
	for _, up := range [...]string{".", "..", "../.."} {
		dir := filepath.Join(up, "testdata", "traces")
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	t.Fatal("testdata/traces is not above the package")
	return ""
}

// Octets returns the raw bytes of one side.
func Octets(t testing.TB, name, side string) []byte {
	t.Helper()
	file := filepath.Join(dir(t), name+"."+side+".bin")
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

// APDUs returns those of one side, without their headers.
func APDUs(t testing.TB, name, side string) (list [][]byte) {
	t.Helper()
	r := z3950.NewReader(bytes.NewReader(Octets(t, name, side)), 1<<20)
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
