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

// TestLoginThroughSchemeProxy: an HTTP proxy of another scheme learns the user and password of the server when it demands them with 401,
// never before, and never in the request line.
func TestLoginThroughSchemeProxy(t *testing.T) {
	command := derefCommand(t)
	basic := "Basic YW5uOk9wZW5TZXNhbWU=" // ann:OpenSesame
	for _, tt := range []struct {
		name, challenge string
		args            []string
		want            []string // the request lines, and the fields that hold credentials
		code            int
	}{
		{"not demanded", "", []string{"ftp://ann:OpenSesame@ftp.example/a"}, []string{"GET ftp://ftp.example/a "}, 0},
		{"demanded", `Basic realm="ftp.example"`, []string{"ftp://ann:OpenSesame@ftp.example/a"}, []string{"GET ftp://ftp.example/a ", "GET ftp://ftp.example/a " + basic}, 0},
		{"by -u", `Basic realm="x"`, []string{"-u", "ann:OpenSesame", "ftp://ftp.example/a"}, []string{"GET ftp://ftp.example/a ", "GET ftp://ftp.example/a " + basic}, 0},
		{"metadata", `Basic realm="x"`, []string{"-I", "ftp://ann:OpenSesame@ftp.example/a"}, []string{"HEAD ftp://ftp.example/a ", "HEAD ftp://ftp.example/a " + basic}, 0},
		{"http.auth is not about it", "", []string{"--set", "http.auth=basic", "ftp://ann:OpenSesame@ftp.example/a"}, []string{"GET ftp://ftp.example/a "}, 0},
		{"nobody", `Basic realm="x"`, []string{"ftp://ftp.example/a"}, []string{"GET ftp://ftp.example/a "}, 6},
		{"wrong", `Basic realm="x"`, []string{"ftp://ann:wrong@ftp.example/a"}, []string{"GET ftp://ftp.example/a ", "GET ftp://ftp.example/a Basic YW5uOndyb25n"}, 6},
		{"another scheme", `Basic realm="x"`, []string{"-u", "ann:OpenSesame", "gopher://g.example/0/a"}, []string{"GET gopher://g.example/0/a ", "GET gopher://g.example/0/a " + basic}, 0},
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
			cmd := command(append([]string{"-v", "-m", "20"}, tt.args...)...)
			cmd.Env = append(cmd.Env, "ftp_proxy="+server.URL, "gopher_proxy="+server.URL)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !slices.Equal(got, tt.want) {
				t.Errorf("exit status %d, want %d; requests %q, want %q\n%s", code, tt.code, got, tt.want, out)
			}
			if s := string(out); strings.Contains(s, "OpenSesame") || strings.Contains(s, basic) {
				t.Errorf("-v shows the password:\n%s", s)
			}
		})
	}
}
