package main

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/testdata"
)

func TestMain(m *testing.M) {
	testscript.Main(hermetic{m}, map[string]func(){"deref": main, "deref-browse": browser})
}

// hermetic runs the tests without the user's environment. testscript.Main does not call it when the test binary runs as "deref".
type hermetic struct{ tests *testing.M }

func (h hermetic) Run() int {
	home, err := os.MkdirTemp("", "deref-home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	keep := []string{"PATH", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LAB_SERVERS", "LAB_DIR", "DEREF_REAL", "DEREF_KEEP", "DEREF_DEADLINES",
		"URI_CORPUS", "GOCOVERDIR"}
	// The go command derives these from HOME, or from a file in it.
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB"}
	if values, err := exec.Command("go", append([]string{"env"}, names...)...).Output(); err == nil {
		for i, value := range strings.Split(strings.TrimSuffix(string(values), "\n"), "\n") { // a line for each
			os.Setenv(names[i], strings.TrimSpace(value))
		}
		keep = append(keep, names...)
	}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); !slices.Contains(keep, strings.ToUpper(name)) {
			os.Unsetenv(name)
		}
	}
	os.Setenv("HOME", home)
	// With the race detector, each of hundreds of deref processes would sleep for a second before it exits. A race in these
	// processes fails the tests even if their exit status and stderr are not checked.
	races := filepath.Join(home, "race")
	os.Setenv("GORACE", "atexit_sleep_ms=20 log_path="+races)
	fetchtest.Overlap()
	status := h.tests.Run()
	reports, _ := filepath.Glob(races + ".*")
	for _, name := range reports {
		if report, err := os.ReadFile(name); err == nil {
			fmt.Fprintf(os.Stderr, "in a deref that a test started:\n%s", report)
		}
		status = 1
	}
	return status
}

// TestScripts runs the scripts of testdata/script. Each has its own servers of `deref serve`, at $HTTP, $FTP and so on; $HTTP_HOST is the
// host and port of $HTTP. "call deref ARG... [< FILE]" is "exec deref ARG..." without a process.
func TestScripts(t *testing.T) {
	testscript.RunT(oneByOne{t}, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"call": callDeref},
		Setup: func(e *testscript.Env) error {
			list, err := testservers.Start(testdata.Site(), 0, nil)
			if err != nil {
				return err
			}
			e.Defer(func() { testservers.Stop(list) })
			web, safe, far := oddWeb()
			for name, s := range map[string]*httptest.Server{"WEB": web, "SAFE": safe, "FAR": far} {
				e.Defer(s.Close)
				e.Setenv(name, s.URL)
			}
			e.Setenv("HOME", filepath.Join(e.WorkDir, "no-home")) // testscript uses /no-home, which root could create
			ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: safe.Certificate().Raw})
			if err := os.WriteFile(filepath.Join(e.WorkDir, "ca.pem"), ca, 0o600); err != nil {
				return err
			}
			e.Setenv("GATEWAY", loopback.Reserve(t))
			e.Setenv("GATEWAY2", loopback.Reserve(t))
			e.Setenv("GORACE", os.Getenv("GORACE"))
			for _, l := range list {
				host := l.URL[strings.LastIndexAny(l.URL, "/@")+1:]
				e.Setenv(strings.ToUpper(l.Scheme), l.URL)
				e.Setenv(strings.ToUpper(l.Scheme)+"_HOST", host)
			}
			return passOn(e)
		},
	})
}

// passOn sets the variables with which scripts find this module and the caches of the go command.
func passOn(e *testscript.Env) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	e.Setenv("ROOT", root)
	for script, name := range map[string]string{"GO_CACHE": "GOCACHE", "GO_MODCACHE": "GOMODCACHE", "GO_PROXY": "GOPROXY",
		"GO_FLAGS": "GOFLAGS", "GO_SUMDB": "GOSUMDB"} {
		e.Setenv(script, os.Getenv(name))
	}
	return nil
}
