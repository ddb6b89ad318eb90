package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/help"
	"example.org/deref/fetch/check"
	"example.org/deref/uri"
)

// TestCheckLogsIn: a link to a host with a login in the configuration file is tested with it, and no other host receives it.
func TestCheckLogsIn(t *testing.T) {
	t.Parallel()
	serve := func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "ann" || password != "word" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	known := httptest.NewServer(http.HandlerFunc(serve))
	defer known.Close()
	sent := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _, ok := r.BasicAuth()
		sent = sent || ok
		serve(w, r)
	}))
	defer other.Close()
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[host.%q]\nuser = \"ann\"\npassword = \"word\"\n", known.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, _ := invoked(t, input{stdin: known.URL + "/a\n" + other.URL + "/b\n"}, "check", "-v", "--config", config)
	for _, want := range []string{"ok            " + known.URL + "/a\n", "denied        " + other.URL + "/b (auth: "} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q", out, want)
		}
	}
	if sent {
		t.Error("the other host received the login")
	}
}

// TestReportIsDocumented: `deref help links` names every field of a report in JSON.
func TestReportIsDocumented(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	j := check.NewJSONReport(&b)
	u := uri.MustParse("http://h/")
	j.Add(&check.Result{URI: u, Verdict: check.Suspect, Final: u, Permanent: true, Err: os.ErrNotExist, Suspect: "x", Cached: true, Known: true,
		Places: []check.Place{{Source: u, Line: 1, Text: "x"}}})
	if err := j.Close(check.Summary{Links: 1, First: os.ErrNotExist}); err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(b.String(), -1)
	if len(names) < 25 {
		t.Errorf("got %d fields in %s, want at least 25", len(names), b.String())
	}
	for _, name := range names {
		if !strings.Contains(help.Links, `"`+name[1]+`"`) {
			t.Errorf("got no %q in deref help links, want it described", name[1])
		}
	}
}
