package request

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/policy"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/uri"
)

func TestExpand(t *testing.T) {
	for arg, want := range map[string]string{
		"http://h/x":                         "http://h/x",
		"http://h/[1-3]":                     "http://h/1 http://h/2 http://h/3",
		"http://h/[08-10]":                   "http://h/08 http://h/09 http://h/10",
		"http://h/[1-10:4]":                  "http://h/1 http://h/5 http://h/9",
		"http://h/[a-e:2]":                   "http://h/a http://h/c http://h/e",
		"http://h/{a,b}/{c,}":                "http://h/a/c http://h/a/ http://h/b/c http://h/b/",
		"http://{a,b}.example/":              "http://a.example/ http://b.example/",
		"ftp://h/[1-2].txt":                  "ftp://h/1.txt ftp://h/2.txt",
		"http://[::1]/[1-2]":                 "http://[::1]/1 http://[::1]/2",
		"http://u@[::1]:80":                  "http://u@[::1]:80",
		"http://[fe80::1-2]/x":               "http://[fe80::1-2]/x",
		"http://[::1-2:3]/x":                 "http://[::1-2:3]/x",
		"http://[1-2].example/":              "http://1.example/ http://2.example/",
		"http://h/?a[b]=c":                   "http://h/?a[b]=c", // not a range
		"http://h/[3-1]":                     "http://h/[3-1]",
		"http://h/[1-2":                      "http://h/[1-2",
		"http://h/{a}":                       "http://h/{a}",
		"http://h/{a,b":                      "http://h/{a,b",
		`data:,{"a":1,"b":2}`:                `data:,{"a":1,"b":2}`,
		"news:{a,b}":                         "news:{a,b}",
		"http://h/a.b{c,d}e[1-2]":            "http://h/a.bce1 http://h/a.bce2 http://h/a.bde1 http://h/a.bde2",
		"http://h/#{a,b}":                    "http://h/#a http://h/#b",
		"http://h/[99999999999999-1]":        "http://h/[99999999999999-1]",
		"http://h/[1-2:0]":                   "http://h/[1-2:0]",
		"http://h/[a-e:3]":                   "http://h/a http://h/d",
		"http://h/[1-9:9223372036854775807]": "http://h/[1-9:9223372036854775807]",
		"http://h/[a-c:9223372036854775807]": "http://h/[a-c:9223372036854775807]",
		"http://h/[-]{":                      "http://h/[-]{",
		"http://[::1":                        "http://[::1",
		"http://user:{a,b}@h.example/[]":     "http://user:a@h.example/[] http://user:b@h.example/[]",
	} {
		all, err := new(objectFlags).expand(uri.RFC3986, arg)
		var got []string
		for _, e := range all {
			got = append(got, e.Arg)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, %v, want %s", arg, got, err, want)
		}
	}
	if _, err := new(objectFlags).expand(uri.RFC3986, "http://h/[1-1000][1-1000]"); err == nil {
		t.Error("a million URIs: got no error, want one")
	}
	for _, off := range []struct {
		f objectFlags
		m uri.Mode
	}{{objectFlags{globOff: true}, uri.RFC3986}, {objectFlags{}, uri.RFC1630}} {
		if all, err := off.f.expand(off.m, "http://h/[1-3]"); err != nil || len(all) != 1 {
			t.Errorf("-g or an old mode: got %v, %v, want one URI", all, err)
		}
	}
}

// A typed IRI, and bytes typed in another locale, become a URI before anything else.
func TestTypedIRI(t *testing.T) {
	for typed, want := range map[string]string{
		"http://h/\xcd\xc9\xd2": "http://h/%CD%C9%D2", // a terminal in KOI8-R
		"http://h/caf\xe9?\xe9": "http://h/caf%E9?%E9",
		"http://h/мир?мир=%41":  "http://h/%D0%BC%D0%B8%D1%80?%D0%BC%D0%B8%D1%80=%41",
		"http://h/a b":          "http://h/a%20b",
	} {
		ts, err := new(Flags).Targets(&fetch.Options{}, []string{typed})
		if err != nil || len(ts) != 1 || ts[0].Err != nil || ts[0].URI.String() != want {
			t.Errorf("%q: got %v, %v, want %s", typed, ts, err, want)
		}
	}
}

func TestNumbered(t *testing.T) {
	target := Target{words: []string{"a", "../b"}}
	for name, want := range map[string]string{"x": "x", "f#1": "fa", "#1-#2.txt": "a-.._b.txt", "#3 #0 ## #": "#3 #0 ## #", "#12": "#12"} {
		if got := target.Numbered(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := (Target{}).Numbered("f#1"); got != "f#1" {
		t.Errorf("without a pattern: got %q, want f#1", got)
	}
}

func TestExclude(t *testing.T) {
	known := fetch.Registry{{Names: []string{"http"}}, {Names: []string{"https"}}, {Names: []string{"ftp", "ftps"}}}
	for list, want := range map[string]string{
		"=https": "[ftp ftps http]", "=http,https": "[ftp ftps]", "http": "[]", "-ftp": "[ftp]", "-all,https": "[ftp ftps http]", "=HTTPS": "[ftp ftps http]",
		"=nosuch": "[ftp ftps http https]", "all,-http": "[http]",
	} {
		if got := fmt.Sprint(exclude(known, list)); got != want {
			t.Errorf("%s: got %s, want %s", list, got, want)
		}
	}
}

func TestReachValues(t *testing.T) {
	for _, s := range []string{"", "h", "h:80", "h:80:", "h:x:127.0.0.1", "h:80:name", ":80:127.0.0.1", "h:99999:127.0.0.1"} {
		if r, err := parseResolve(s); err == nil {
			t.Errorf("--resolve %s: got %v, want an error", s, r)
		}
	}
	r, err := parseResolve("[::1]:443:127.0.0.1,[2001:db8::1]")
	if err != nil || r.Host != "::1" || r.Port != 443 || fmt.Sprint(r.Addrs) != "[127.0.0.1 2001:db8::1]" {
		t.Errorf("got %+v, %v, want two addresses of ::1", r, err)
	}
	for _, s := range []string{"", "a:1:b", "a:x:b:2", "a:1:b:99999"} {
		if c, err := parseConnectTo(s); err == nil {
			t.Errorf("--connect-to %s: got %v, want an error", s, c)
		}
	}
	for s, want := range map[string]policy.ConnectTo{"a:1:b:2": {Host: "a", Port: 1, ToHost: "b", ToPort: 2}, "::b:": {ToHost: "b"}, "a::[::1]:2": {Host: "a", ToHost: "::1", ToPort: 2}} {
		if c, err := parseConnectTo(s); err != nil || c != want {
			t.Errorf("--connect-to %s: got %+v, %v, want %+v", s, c, err, want)
		}
	}
	good := "sha256//" + strings.Repeat("A", 43) + "="
	if pins, err := parsePins(good + ";" + good); err != nil || len(pins) != 2 {
		t.Errorf("got %v, %v, want two keys", pins, err)
	}
	for _, s := range []string{"x", "sha256//", "sha256//AAAA", "key.pem"} {
		if pins, err := parsePins(s); err == nil {
			t.Errorf("%s: got %v, want an error", s, pins)
		}
	}
	if !slices.Contains(strings.Fields(habits), "location:L") {
		t.Error("got no -L, want it accepted")
	}
}

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
		if l, _ := list.Login(t.Context(), loginRequest(tt.uri)); l != want {
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

// The copy of standard input has the suffix of its format, and nothing of it is left.
func TestStandardInputIsCopied(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	input := func(text string) *app.App {
		in := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return &app.App{Stdin: f}
	}
	for begin, want := range map[string]string{"WARC/1.1": "stdin.warc", "": "stdin.warc", "\x1f\x8b\x08\x00": "stdin.warc.gz", "\x28\xb5\x2f\xfd": "stdin.warc.zst",
		"\x5d\x2a\x4d\x18": "stdin.warc.zst", "\x50\x2a\x4d\x18": "stdin.warc.zst", "PK\x03\x04": "stdin.wacz"} {
		f := ArchiveFlags{FromWarc: []string{"-"}}
		names, err := f.Names(input(begin))
		if err != nil || len(names) != 1 || filepath.Base(names[0]) != want {
			t.Errorf("%q: got %v, %v; want %s", begin, names, err, want)
			continue
		}
		if b, err := os.ReadFile(names[0]); string(b) != begin {
			t.Errorf("%q: got %q, %v", begin, b, err)
		}
		f.CloseArchives()
	}
	if left, err := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("got %v, %v; want nothing left", left, err)
	}
	f := ArchiveFlags{FromWarc: []string{"-", "-"}}
	defer f.CloseArchives()
	if _, err := f.Names(input("")); err == nil || !strings.Contains(err.Error(), "only once") {
		t.Errorf("got %v, want an error: standard input can be read only once", err)
	}
}

func TestFolderURI(t *testing.T) {
	for path, want := range map[string]string{
		"/":         "file:///", // not file:////, whose first segment is empty
		"/a":        "file:///a/",
		"/a b/c%41": "file:///a%20b/c%2541/",
	} {
		if got := DirectoryURI(uri.RFC3986, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A document whose URI is too long for a record of an archive is named in a warning.
func TestLongURIsAreNotArchived(t *testing.T) {
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	a := &app.App{Stderr: stderr}
	f := &ArchiveFlags{Warc: stderr.Name() + ".warc", flags: pflag.NewFlagSet("get", 0)}
	c := fetch.New(a.Schemes(nil)...)
	ctx, w, err := f.Open(t.Context(), a, c, false, Untracked)
	if err != nil {
		t.Fatal(err)
	}
	for _, long := range []string{"data:,short", "data:,long" + strings.Repeat("x", 1<<20)} {
		d, err := c.Get(ctx, uri.MustParse(long), nil)
		if err != nil {
			t.Fatal(err)
		}
		d.Body.Close()
	}
	want := "deref: warning: " + f.Warc + " does not contain data:,long" + strings.Repeat("x", 70) + "..., whose URI has more than 1 MiB\n"
	err = w.Finish(ctx, nil)
	if got, _ := os.ReadFile(stderr.Name()); err != nil || string(got) != want {
		t.Errorf("got %v, %q, want %q", err, got, want)
	}
}
