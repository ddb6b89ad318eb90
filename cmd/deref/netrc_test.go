package main

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestNetrc(t *testing.T) {
	name := filepath.Join(t.TempDir(), "netrc")
	text := "machine ftp.example login alice password se:cr#t\nmachine other.example\n  login bob\n  password x\ndefault login anonymous password me@here\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := readNetrc(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ uri, user, password string }{
		{"ftp://ftp.example/x", "alice", "se:cr#t"},
		{"http://other.example:8080/", "bob", "x"},
		{"http://third.example/", "anonymous", "me@here"},
	} {
		if l := netrcLogin(list, uri.MustParse(tt.uri)); l != (fetch.Login{User: tt.user, Password: tt.password, Set: true, ByHost: true}) {
			t.Errorf("%s: %+v", tt.uri, l)
		}
	}
	os.Chmod(name, 0o644)
	if _, err := readNetrc(name); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("a netrc that others can read: %v", err)
	}
}

func TestRangeOfFlags(t *testing.T) {
	for in, want := range map[string]fetch.Range{"": {}, "0-3": {To: 4}, "5-": {From: 5}, "-7": {From: -7}, "2-2": {From: 2, To: 3}} {
		if r, err := parseRange(in); err != nil || r != want {
			t.Errorf("%q: %v, %v, want %v", in, r, err, want)
		}
	}
	for _, in := range []string{"-", "3", "a-b", "5-2", "1-2-3", "0-99999999999999999999", "-0", " 1-2"} {
		if r, err := parseRange(in); exitCode(err) != 2 {
			t.Errorf("%q: %v, %v, want a usage error", in, r, err)
		}
	}
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]size{"1": 1, "10k": 10 << 10, "20M": 20 << 20, "1G": 1 << 30, "2T": 2 << 40} {
		var s size
		if err := s.Set(in); err != nil || s != want {
			t.Errorf("%q: %d, %v, want %d", in, s, err, want)
		}
	}
	for _, in := range []string{"", "k", "-1", "0", "1.5M", "9223372036854775807k", "1Mk"} {
		var s size
		if err := s.Set(in); err == nil {
			t.Errorf("%q is read as %d", in, s)
		}
	}
}
