package request

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/uri"
)

func TestNetrc(t *testing.T) {
	name := filepath.Join(t.TempDir(), "netrc")
	text := "machine ftp.example login alice password se:cr#t\nmachine other.example\n  login bob\n  password x\n" +
		"default login anonymous password me@here\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := secretfile.ReadNetrc(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ uri, user, password string }{
		{"ftp://ftp.example/x", "alice", "se:cr#t"},
		{"http://other.example:8080/", "bob", "x"},
		{"http://third.example/", "anonymous", "me@here"},
	} {
		want := fetch.Login{User: tt.user, Password: tt.password, Set: true, ByHost: true}
		if l := netrcLogin(list, loginRequest(tt.uri)); l != want {
			t.Errorf("%s: got %+v, want %+v", tt.uri, l, want)
		}
	}
	os.Chmod(name, 0o644)
	if _, err := secretfile.ReadNetrc(name); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("a netrc that others can read: got %v, want ErrLocal", err)
	}
}

func loginRequest(s string) fetch.LoginRequest {
	u := uri.MustParse(s)
	user, _, _ := u.User()
	user, _, _ = strings.Cut(user, ";")
	return fetch.LoginRequest{URI: u, Host: u.Hostname(), User: user, Attempt: 1}
}
