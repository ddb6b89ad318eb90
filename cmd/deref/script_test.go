package main

import (
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/testdata"
	"github.com/rogpeppe/go-internal/testscript"
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

// TestScripts runs the scripts of testdata/script. They share servers of `deref serve`, at $HTTP, $FTP and so on; $HTTP_HOST is the
// host and port of $HTTP. "call deref ARG... [< FILE]" is "exec deref ARG..." without a process. "reach HOST:PORT" returns when a process that the
// script has started listens there.
func TestScripts(t *testing.T) {
	testscript.RunT(oneByOne{t}, scripts(t, "testdata/script"))
}

// TestWaitingScripts runs those that wait for the silence of a host, or for a pause between attempts, next to other tests. So they do not use "call".
func TestWaitingScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts(t, "testdata/script/waiting"))
}

// scripts returns how the scripts of a directory are run.
func scripts(t *testing.T, dir string) testscript.Params {
	list, err := testservers.Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { testservers.Stop(list) })
	return testscript.Params{
		Dir:  dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"call": callDeref, "reach": reach},
		Setup: func(e *testscript.Env) error {
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
	}
}

// reach is the command "reach HOST:PORT" of scripts.
func reach(ts *testscript.TestScript, neg bool, args []string) {
	for {
		if c, err := net.Dial("tcp", args[0]); err == nil {
			c.Close()
			return
		}
	}
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

// oddWeb starts a web server for testdata/script/http.txt: $WEB, $SAFE, which is the same over TLS, and $FAR, which has another origin.
// Its pages report how often they were requested.
func oddWeb() (web, safe, far *httptest.Server) {
	var asked atomic.Int64
	m := http.NewServeMux()
	m.HandleFunc("GET /who", func(w http.ResponseWriter, r *http.Request) {
		user, _, _ := r.BasicAuth()
		fmt.Fprintf(w, "user <%s>\n", user)
	})
	m.HandleFunc("GET /who.html", func(w http.ResponseWriter, r *http.Request) {
		user, _, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<base href='/of-%s/'>\n", user)
	})
	show := func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, strings.Join(r.Header["Cookie"], "|")) }
	m.HandleFunc("GET /cookies/show", show)
	m.HandleFunc("GET /cookies/set", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Set-Cookie", "set=1; Path=/") })
	m.HandleFunc("GET /cookies/delete", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "set=; Path=/; Expires=Monday, 13-Jun-1988 03:04:55 GMT")
	})
	m.HandleFunc("GET /cookies/turn", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "set=1; Path=/")
		http.Redirect(w, r, "/cookies/show", http.StatusFound)
	})
	m.HandleFunc("GET /cookies/wall", func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Cookie"]) > 0 {
			show(w, r)
			return
		}
		w.Header().Set("Set-Cookie", "set=1; Path=/")
		http.Redirect(w, r, "/cookies/wall", http.StatusFound)
	})
	page := func(path, header, text string) {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			for line := range strings.Lines(header) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				w.Header().Set(name, value)
			}
			fmt.Fprintln(w, strings.NewReplacer("{n}", fmt.Sprint(asked.Add(1)), "{uri}", r.RequestURI, "{referer}", r.Referer(), "FAR",
				far.URL).Replace(text))
		})
	}
	page("/fresh/{name}", "Cache-Control: max-age=600", "{uri} {n}")
	page("/stale", "Cache-Control: no-cache", "stale {n}")
	page("/index/d/isindex", "Content-Type: text/html", "<isindex prompt='Find:'><a href=x>a link</a> {uri}")
	page("/index/form", "Content-Type: text/html", "<base href=/index/deep/>"+
		"<form action=../d/find><input name=q><input type=hidden name=l value=e></form><a href=x>x</a>")
	page("/index/d/find", "", "{uri}")
	page("/index/refresh", "Content-Type: text/html", "<meta http-equiv=refresh content='0; url=d/find'>here")
	page("/index/koi8", "Content-Type: text/plain; charset=KOI8-R", "\xf0\xd2\xc9\xd7\xc5\xd4")
	page("/index/latin", "Content-Type: text/html; charset=iso-8859-2", "<meta charset=utf-8>\xb1")
	page("/index/meta", "Content-Type: text/html", "<meta http-equiv=content-type content='text/html; charset=windows-1251'>\xcf\xf0")
	page("/index/bom", "Content-Type: text/html; charset=iso-8859-1", "\xef\xbb\xbfcaf\u00e9")
	page("/index/guess", "Content-Type: text/plain", "\xf0\xd2\xc9\xd7\xc5\xd4\x2c\x20\xcb\xc1\xcb\x20\xc4\xc5\xcc\xc1\x3f")
	page("/index/xml", "Content-Type: application/xml", "<?xml version='1.0' encoding='windows-1251'?><a>\xcf\xf0\xe8\xe2\xe5\xf2</a>")
	page("/index/old", "Content-Type: text/html", "\x93caf\xe9\x94")
	page("/index/links", "Content-Type: text/html", "<a href=/who>near</a><a href=FAR/who>far</a><a href=FAR/who.html>page</a>")
	page("/referer", "", "from <{referer}>")
	far = httptest.NewServer(m)
	m = http.NewServeMux()
	m.Handle("/", far.Config.Handler)
	m.Handle("/insecure", http.RedirectHandler(far.URL+"/who", http.StatusFound))
	m.Handle("/away.html", http.RedirectHandler(far.URL+"/who.html", http.StatusFound))
	m.Handle("/cookies/far", http.RedirectHandler(far.URL+"/cookies/show", http.StatusFound))
	m.Handle("/near", http.RedirectHandler("/referer", http.StatusFound))
	m.Handle("/far", http.RedirectHandler(far.URL+"/referer", http.StatusFound))
	return httptest.NewServer(m), httptest.NewTLSServer(m), far
}
