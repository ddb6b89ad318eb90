package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestLoginThroughSchemeProxy checks that an HTTP proxy for another scheme gets the server's user and password only after it demands them
// with 401, and never in the request line.
func TestLoginThroughSchemeProxy(t *testing.T) {
	t.Parallel()
	basic := "Basic YW5uOk9wZW5TZXNhbWU=" // ann:OpenSesame
	for _, tt := range []struct {
		name, challenge string
		args            []string
		want            []string // the request lines and the Authorization fields
		code            int
	}{
		{"not demanded", "", []string{"ftp://ann:OpenSesame@ftp.example/a"}, []string{"GET ftp://ftp.example/a "}, 0},
		{"demanded", `Basic realm="ftp.example"`, []string{"ftp://ann:OpenSesame@ftp.example/a"},
			[]string{"GET ftp://ftp.example/a ", "GET ftp://ftp.example/a " + basic}, 0},
		{"by -u", `Basic realm="x"`, []string{"-u", "ann:OpenSesame", "ftp://ftp.example/a"},
			[]string{"GET ftp://ftp.example/a ", "GET ftp://ftp.example/a " + basic}, 0},
		{"metadata", `Basic realm="x"`, []string{"-I", "ftp://ann:OpenSesame@ftp.example/a"},
			[]string{"HEAD ftp://ftp.example/a ", "HEAD ftp://ftp.example/a " + basic}, 0},
		{"http.auth is not about it", "", []string{"--set", "http.auth=basic", "ftp://ann:OpenSesame@ftp.example/a"},
			[]string{"GET ftp://ftp.example/a "}, 0},
		{"nobody", `Basic realm="x"`, []string{"ftp://ftp.example/a"}, []string{"GET ftp://ftp.example/a "}, 6},
		{"wrong", `Basic realm="x"`, []string{"ftp://ann:wrong@ftp.example/a"},
			[]string{"GET ftp://ftp.example/a ", "GET ftp://ftp.example/a Basic YW5uOndyb25n"}, 6},
		{"another scheme", `Basic realm="x"`, []string{"-u", "ann:OpenSesame", "gopher://g.example/0/a"},
			[]string{"GET gopher://g.example/0/a ", "GET gopher://g.example/0/a " + basic}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var got []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				got = append(got, fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, r.Header.Get("Authorization")))
				mu.Unlock()
				if tt.challenge != "" && r.Header.Get("Authorization") != basic {
					w.Header().Set("WWW-Authenticate", tt.challenge)
					w.WriteHeader(401)
					return
				}
				io.WriteString(w, "the file\n")
			}))
			defer server.Close()
			proxies := input{env: []string{"ftp_proxy=" + server.URL, "gopher_proxy=" + server.URL}}
			out, errs, code := invoked(t, proxies, append([]string{"-v", "-m", "20"}, tt.args...)...)
			if code != tt.code || !slices.Equal(got, tt.want) {
				t.Errorf("exit status %d, want %d; requests %q, want %q\n%s", code, tt.code, got, tt.want, errs)
			}
			if strings.Contains(out+errs, "OpenSesame") || strings.Contains(out+errs, basic) {
				t.Errorf("got\n%s\nwant -v to mask the password", out+errs)
			}
		})
	}
}

// TestProxyPassedBy checks that one note reports that ftp_proxy and similar variables are not used for this machine, unless the user
// requested that.
func TestProxyPassedBy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "direct\n") }))
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	for _, tt := range []struct {
		env, want string
		args      []string
	}{
		{"ftp_proxy=http://proxy.example:3128",
			"deref: note: 127.0.0.1:1 is on this machine, so it is contacted directly, not through http://proxy.example:3128\n",
			[]string{"ftp://127.0.0.1:1/a", "ftp://127.0.0.1:1/b"}},
		{"http_proxy=http://proxy.example:3128", "deref: note: " + addr +
			" is on this machine, so it is contacted directly, not through http://proxy.example:3128\n", []string{server.URL, server.URL}},
		{"all_proxy=socks5://proxy.example:3128", "deref: note: " + addr +
			" is on this machine, so it is contacted directly, not through socks5://proxy.example:3128\n",
			[]string{"gopher://" + addr + "/", "gopher://" + addr + "/"}},
		{"http_proxy=" + server.URL, "", []string{"http://www.example/"}}, // the proxy's own address
		{"http_proxy=http://proxy.example:3128 no_proxy=127.0.0.1", "", []string{server.URL}},
		{"http_proxy=http://proxy.example:3128", "", []string{"-s", server.URL}},
	} {
		_, stderr, _ := invoked(t, input{env: strings.Fields(tt.env)}, tt.args...)
		got := ""
		for line := range strings.Lines(stderr) {
			if strings.HasPrefix(line, "deref: note: ") {
				got += line
			}
		}
		if got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.env, tt.args, got, tt.want)
		}
	}
}
