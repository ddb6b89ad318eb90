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
	config := write(t, filepath.Join(t.TempDir(), "config.toml"), fmt.Sprintf("[host.%q]\nuser = \"ann\"\npassword = \"word\"\n", known.URL))
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

// TestPortal checks that -Z, mirror and check warn of web pages in place of other documents. The exit status changes only if the user
// requested that.
func TestPortal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/real.zip":
			w.Header().Set("Content-Type", "application/zip")
			w.Write([]byte("PK"))
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<a href=x.zip>log in</a>"))
		}
	}))
	defer server.Close()
	zip, page, real := server.URL+"/x.zip", server.URL+"/", server.URL+"/real.zip"
	warning := "deref: warning: " + zip + ": got a web page for a name that ends in .zip\n"
	links := page + "\n" + zip + "\n" + real + "\n"
	had := t.TempDir()
	for name, text := range map[string]string{"get": "PK\x03\x04 and more", "get2": "PK\x03\x04 and more", "text": "words"} {
		write(t, filepath.Join(had, name), text)
	}
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		out, err string // expected texts; "-" in err means no output
	}{
		{"many", "", []string{"-Z", "-O", "--output-dir", t.TempDir(), zip, real}, 0, "", warning},
		{"many, silent", "", []string{"-s", "-Z", "-O", "--output-dir", t.TempDir(), zip}, 0, "", "-"},
		{"many, no portal", "", []string{"-Z", "-O", "--progress", "none", "--output-dir", t.TempDir(), real}, 0, "", "-"},
		{"many, a file is replaced", "", []string{"-Z", "-O", "--force", "--output-dir", had, server.URL + "/get"}, 0, "",
			"/get: got a web page in place of application/zip\n"},
		{"many, the file of -o is replaced", "", []string{"-Z", "-o", "get2", "--output-dir", had, server.URL + "/get"}, 0, "",
			"/get: got a web page in place of application/zip\n"},
		{"many, a text is replaced", "", []string{"-Z", "-O", "--force", "--progress", "none", "--output-dir", had, server.URL + "/text"}, 0, "",
			"-"},
		{"mirror", "", []string{"mirror", page, t.TempDir()}, 0, "", warning},
		{"check", links, []string{"check"}, 0, "suspect       " + zip + " (got a web page", "3 links, 2 ok, 1 suspect"},
		{"check, as JSON", links, []string{"check", "--json"}, 0, `"suspect":"got a web page for a name that ends in .zip"`,
			"warning: 1 of the links"},
		{"check, as failure", links, []string{"check", "--fail-suspect"}, 15, "suspect", "3 links, 2 ok, 1 suspect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, code := invoked(t, input{stdin: tt.in}, tt.args...)
			if code != tt.code {
				t.Errorf("got exit status %d, want %d", code, tt.code)
			}
			if !strings.Contains(out, tt.out) {
				t.Errorf("got %q on standard output, want %q", out, tt.out)
			}
			if tt.err == "-" && errs != "" || tt.err != "-" && !strings.Contains(errs, tt.err) {
				t.Errorf("got %q on standard error, want %q", errs, tt.err)
			}
		})
	}
}
