//go:build unix || windows

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
)

// A hub that can write is healthy, and its metrics have the free space of its disk. Nothing is at an address at which no page is. A hub that is asked
// to end has not failed.
func TestHealth(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	addr := loopback.Reserve(t)
	if _, errs := derefd(t, 5, "health", "--page", addr); !strings.Contains(errs, "refused") {
		t.Errorf("got %q without a hub, want that the connection is refused", errs)
	}
	url, out := io.Pipe()
	ended := make(chan int)
	var errs strings.Builder
	go func() {
		c := &command{in: os.Stdin, out: out, err: &errs}
		ended <- c.main(ctx, []string{"hub", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--page", addr}, func(string) string { return "" })
	}()
	bufio.NewReader(url).ReadString('\n')
	if out, _ := derefd(t, 0, "health", "--page", addr); out != "ok\n" {
		t.Errorf("got %q, want ok", out)
	}
	for path, want := range map[string]string{"/metrics": "derefd_hub_healthy 1\n", "/": "not found"} {
		resp, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: got %q, %v, want %q", path, text, err, want)
		}
		if free := regexp.MustCompile(`(?m)^derefd_hub_free_bytes [1-9]\d{6,}$`); path == "/metrics" && !free.Match(text) {
			t.Errorf("got %q, want the free space", text)
		}
	}
	cancel()
	if code := <-ended; code != 0 || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("got exit status %d of the hub and %q, want 0 and the addresses of the page", code, errs.String())
	}
}

// The first mistakes of a new user: each is one line, with a hint where one helps.
func TestUsage(t *testing.T) {
	t.Parallel()
	s, err := hub.Serve(&hub.ServerOptions{Dir: t.TempDir(), Addr: "127.0.0.1:0", Secure: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	check, none := jobOf(t, `task = "check"`), loopback.Reserve(t)
	bad, busy := fileIn(t, t.TempDir(), "bad.txt", "http://h/\nhttp://[\n"), jobOf(t, `task = "check"`)
	blank := fileIn(t, t.TempDir(), "my links.toml", `task = "check"`)
	running, err := hub.Serve(&hub.ServerOptions{Dir: filepath.Join(strings.TrimSuffix(busy, ".toml")+".data", "hub")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Close)
	idle := jobOf(t, "task = \"check\"\npartitions = 1")
	derefd(t, 0, "add", idle, os.DevNull)
	wrong := strings.Replace(s.URL(""), "tls://", "tls://wrong-", 1)
	for _, c := range []struct {
		args       []string
		code       int
		want, hint string
	}{
		{[]string{"frob"}, 2, `no command "frob"`, "derefd help"},
		{[]string{"rum", check}, 2, `no command "rum"`, "run is"},
		{[]string{"run"}, 2, "needs JOB: the TOML file", "derefd help"},
		{[]string{"add", check}, 2, "needs FILE: a list of URIs", "derefd help"},
		{[]string{"run", check, "more"}, 2, `unexpected argument "more"`, "derefd help"},
		{[]string{"run", "no-such-file"}, 14, "no-such-file", "TOML"},
		{[]string{"run", t.TempDir()}, 14, "the job's file: ", "TOML"},
		{[]string{"run", jobOf(t, strings.Repeat("#", 2<<20))}, 10, "longer than 1048576 bytes", ""},
		{[]string{"run", jobOf(t, `task = "fly"`)}, 2, "check, archive, list or crawl", ""},
		{[]string{"run", jobOf(t, `task = "chekc"`)}, 2, "check, archive, list or crawl", "check is"},
		{[]string{"run", jobOf(t, "task = \"check\"\nsedes = []")}, 2, `line 2: unknown key "sedes"`, "seeds is"},
		{[]string{"run", jobOf(t, "task = \"check\"\nqqqqqqqq = []")}, 2, `line 2: unknown key "qqqqqqqq"`, "derefd help"},
		{[]string{"run", jobOf(t, "[store]\nurll = \"\"")}, 2, `line 2: unknown key "store.urll"`, "store.url is"},
		{[]string{"run", jobOf(t, "depth = \"x\"")}, 2, "line 1: the value of depth has the wrong type", "example"},
		{[]string{"run", jobOf(t, "task = ")}, 2, "line 1: ", "example"},
		{[]string{"status", jobOf(t, "task = \"list\"\ninclude = [\"[\"]")}, 2, "pattern", ""},
		{[]string{"status", check, "--hubb"}, 2, "unknown flag --hubb", "--hub is"},
		{[]string{"status", check, "--hosts", "x"}, 2, `--hosts: "x" is not a whole number`, ""},
		{[]string{"status", check}, 7, "there is no job job in ", "derefd add"},
		{[]string{"results", check, "--hub", s.URL("")}, 7, "there is no job job at the hub", "derefd add"},
		{[]string{"add", check, filepath.Join(t.TempDir(), "missing.txt")}, 14, "missing.txt", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\nseeds = [\"http://h/\", \"http://[\"]")}, 3, "seeds: line 2 of the list", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\nlists = [\""+bad+"\"]")}, 3, bad + ": line 2 of the list", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\nseeds = [\"http://h/ range=1-2\"]")}, 4, "http://h/: a job has URIs without", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\nseeds = [\"http://h/ checksum=sha256:"+strings.Repeat("0f", 32)+"\"]")}, 4, "http://h/: a job has URIs without", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\npause = nan")}, 2, "a number is negative or too large", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\ntimeout = 1e10")}, 2, "a number is negative or too large", ""},
		{[]string{"run", jobOf(t, "task = \"check\"\ndepth = -1")}, 2, "a number is negative or too large", ""},
		{[]string{"run", busy}, 14, "in use by another process", "derefd status"},
		{[]string{"run", blank}, 3, `got "my links"`, "the name of its file"},
		{[]string{"hub", "--listen", "127.0.0.1:0", "--data", filepath.Join(strings.TrimSuffix(busy, ".toml")+".data", "hub")}, 14, "in use by another process", "derefd status"},
		{[]string{"work", check}, 2, "needs --hub URL", "derefd hub prints"},
		{[]string{"work", check, "--hub", "nats://secret@" + none}, 5, none + " does not accept connections", "is it running"},
		{[]string{"work", check, "--hub", wrong}, 6, "refuses the login", "with its token"},
		{[]string{"work", check, "--hub", strings.Replace(s.URL(""), "/sha256-", "/sha-", 1)}, 5, "certificate", "--ca"},
		{[]string{"work", check, "--hub", "https://secret@" + none}, 3, "nats:// or tls://", ""},
		{[]string{"work", check, "--hub", none, "--nkey", "missing"}, 14, "--nkey: ", ""},
		{[]string{"work", check, "--hub", none, "--nkey", check}, 14, "does not contain the seed", ""},
		{[]string{"jobs"}, 2, "needs --hub URL", "derefd status JOB"},
		{[]string{"delete", "missing"}, 14, "missing", "TOML"},
		{[]string{"delete", "missing", "--hub", s.URL("")}, 7, "there is no job missing at the hub", "derefd add"},
		{[]string{"redo", check}, 7, "there is no job job in ", "derefd add"},
		{[]string{"redo", idle}, 2, "needs URIs, --failed", "derefd results JOB --failed"},
		{[]string{"results", idle, "--since", "yesterday"}, 2, `"yesterday" is not a time`, ""},
		{[]string{"redo", idle, "http://["}, 3, "URI 1: bad URI", ""},
		{[]string{"redo", idle, "http://none.test/"}, 7, "no result of http://none.test/", ""},
		{[]string{"hub", "--listen", "nonsense"}, 2, "--listen", ""},
		{[]string{"hub", "--listen", strings.SplitN(strings.SplitN(s.URL(""), "@", 2)[1], "/", 2)[0], "--data", t.TempDir()}, 14, "address", ""},
	} {
		out, got := derefd(t, c.code, c.args...)
		first, rest, _ := strings.Cut(got, "\n")
		hint, ok := strings.CutPrefix(rest, "derefd: hint: ")
		if out != "" || !strings.Contains(first, c.want) || ok != (c.hint != "") || !strings.Contains(hint, c.hint) || !ok && rest != "" {
			t.Errorf("%v: got %q and %q, want %q with the hint %q", c.args, out, got, c.want, c.hint)
		}
		if strings.Contains(got, "secret") || strings.Contains(got, "wrong-") {
			t.Errorf("%v: got %q, want no token", c.args, got)
		}
	}
	if out, _ := derefd(t, 0); out != usage {
		t.Errorf("got %q, want the usage", out)
	}
	for _, args := range []string{"version", "--version"} {
		if out, _ := derefd(t, 0, args); !strings.HasPrefix(out, "derefd v") {
			t.Errorf("%s: got %q, want a version", args, out)
		}
	}
}
