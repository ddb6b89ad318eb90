package main

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/deref/testdata"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"deref": main})
}

// TestScripts runs the user stories of testdata/script. Each has the servers of `deref serve` to itself, at $HTTP, $FTP and so on.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			list, err := startLocals(testdata.Site(), 0, nil)
			if err != nil {
				return err
			}
			e.Defer(func() { stopLocals(list) })
			for _, l := range list {
				e.Setenv(strings.ToUpper(l.scheme), l.url)
			}
			return nil
		},
	})
}
