package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	for name, text := range map[string]string{"get": "PK\x03\x04 and more", "text": "words"} {
		if err := os.WriteFile(filepath.Join(had, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
