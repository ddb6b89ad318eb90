package main

import (
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/deref/testdata"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"deref": main})
}

// TestScripts runs the user stories of testdata/script. Each has the servers of `deref serve` to itself, at $HTTP, $FTP and so on, and their hosts and
// ports in $HTTP_HOST.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			list, err := startLocals(testdata.Site(), 0, nil)
			if err != nil {
				return err
			}
			e.Defer(func() { stopLocals(list) })
			web, safe, far := oddWeb()
			for name, s := range map[string]*httptest.Server{"WEB": web, "SAFE": safe, "FAR": far} {
				e.Defer(s.Close)
				e.Setenv(name, s.URL)
			}
			ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: safe.Certificate().Raw})
			if err := os.WriteFile(filepath.Join(e.WorkDir, "ca.pem"), ca, 0o600); err != nil {
				return err
			}
			e.Setenv("GATEWAY", freeAddress(t))
			for _, l := range list {
				host := l.url[strings.LastIndexAny(l.url, "/@")+1:]
				e.Setenv(strings.ToUpper(l.scheme), l.url)
				e.Setenv(strings.ToUpper(l.scheme)+"_HOST", host)
			}
			return passOn(e)
		},
	})
}

// passOn tells scripts that run the go command where this module and its caches are.
func passOn(e *testscript.Env) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	e.Setenv("ROOT", root)
	for script, name := range map[string]string{"GO_CACHE": "GOCACHE", "GO_MODCACHE": "GOMODCACHE", "GO_PROXY": "GOPROXY", "GO_FLAGS": "GOFLAGS", "GO_SUMDB": "GOSUMDB"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		e.Setenv(script, strings.TrimSpace(string(value)))
	}
	return nil
}

// freeAddress is one that a script's own server may listen on.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
