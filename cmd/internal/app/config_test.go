package app

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

// annsHome is an environment in which only HOME is set.
func annsHome(name string) string { return map[string]string{"HOME": "/home/ann"}[name] }

// flagsOfFiles are the flags that these tests set in a file.
func flagsOfFiles() []string {
	return []string{"connect-timeout", "follow-to", "retry", "output-dir", "set", "user", "proxy", "mail", "gateway", "ftp-method", "since",
		"header", "last", "tofu", "cacert", "max-time", "format", "news", "smtp", "search"}
}

// configOf parses text as a file that only its owner can read.
func configOf(t testing.TB, text string) (*Config, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "c.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return readConfig(annsHome, os.Stderr, NewVocabulary(flagsOfFiles), configFile{"c.toml", []byte(text)}, info)
}

// TestExample checks that the example of deref help config is valid and sets what its comments describe.
func TestExample(t *testing.T) {
	c, err := configOf(t, example)
	if err != nil {
		t.Fatal(err)
	}
	if want := []mail.Source{{URI: "imaps://ann@mail.example", Folders: []string{"INBOX", "Archive"}},
		{URI: "maildir:/home/ann/Maildir"}}; !reflect.DeepEqual(c.Mail, want) {
		t.Errorf("got sources %q, want %q", c.Mail, want)
	}
	if len(c.Flags) != 3 || len(c.Gateways) != 1 || len(c.URN.Table) != 2 || len(c.Locals) != 1 || len(c.Programs) != 1 ||
		len(c.News.Archives) != 1 || len(c.hosts) != 5 {
		t.Errorf("got %+v, want 3 flags, 1 gateway, 2 urn rules, 1 local directory, 1 program, 1 archive and 5 hosts", c)
	}
	if c.Locals[0].Dir != "/home/ann/mirror/pub" || c.AFS.Mount != "/afs" || c.News.Source != "news.example" {
		t.Errorf("got %+v, want Dir \"/home/ann/mirror/pub\", Mount \"/afs\" and Source \"news.example\"", c)
	}
}

// TestConfigErrors checks that errors name the file, the line, the key and the most similar known key.
func TestConfigErrors(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"\nflag = 1", "c.toml:2: flag: unknown key", "flags"},
		{"flags = 1", "c.toml:1: flags: must be a table", ""},
		{"[flags]\nzzzzzz = 1", "c.toml:2: flags.zzzzzz: unknown flag, or one that a file cannot set", ""},
		{"[flags]\nconfig = 'x'", "c.toml:2: flags.config: unknown flag, or one that a file cannot set", ""},
		{"[flags]\nretry = {a = 1}", "c.toml:2: flags.retry: must be a string, a number", ""},
		{"[flags]\nretry = 1979-05-27", "c.toml:2: flags.retry: must be a string, a number", ""},
		{"[flags]\nretry = 1\nretry = 2", "c.toml:3:", ""},
		{"[gateways]\nwais = '{uri}'", `c.toml:2: gateways.wais: "{uri}" is neither`, ""},
		{"[gateways]\nwais = 3", "c.toml:2: gateways.wais: must be a string in quotes", ""},
		{"[urn]\n'urn:a:' = '{rest}'", `c.toml:2: urn."urn:a:": the template`, ""},
		{"[urn]\n'isbn:' = 'http://h/{rest}'", `c.toml:2: urn."isbn:": bad prefix in the urn table: "isbn:"`, ""},
		{"[local]\n'ftp://h/pub' = '/x'", `c.toml:2: local."ftp://h/pub": want SCHEME://HOST/ or`, ""},
		{"[local]\n'ftp://h/pub/' = 'x'", `c.toml:2: local."ftp://h/pub/": must be an absolute path`, ""},
		{"[afs]\nmont = '/x'", "c.toml:2: afs.mont: unknown key", "mount"},
		{"[programs]\nX = '/x'", "c.toml:2: programs.X: not the name of a scheme", ""},
		{"[programs]\nx = 'sh -c'", "c.toml:2: programs.x: must be an absolute path", ""},
		{"[news]\nhosts = 'x'", "c.toml:2: news.hosts: unknown key", "host"},
		{"[[news.archive]]\ngroups = '*'", "c.toml:1: news.archive.0: uri is missing", ""},
		{"[news.archive]\ngroups = '*'", "c.toml:1: news.archive: must be one or more [[news.archive]]", ""},
		{"[[mail.source]]\nuri='mbox:/x'\n[[mail.source]]\nuri = 'mbox:/x'\nuser = 'a'",
			"c.toml:3: mail.source.1: a mail store on this machine cannot have a login", ""},
		{"[[mail.source]]\nuri = 'http://h/'", "c.toml:2: mail.source.0.uri: a mail source is imap://HOST", ""},
		{"[flags]\noutput = 'x'", "c.toml:2: flags.output: unknown flag, or one that a file cannot set", ""},
		{"[flags]\nftp-method = 'nowd'", `c.toml:2: flags.ftp-method: ftp.method is one of multicwd, nocwd, auto, not "nowd"`, "nocwd"},
		{"[flags]\nset = ['ftp.method=nowd']", `c.toml:2: flags.set: ftp.method is one of multicwd, nocwd, auto, not "nowd"`, "nocwd"},
		{"[flags]\nsince = 'yesterday'", `c.toml:2: flags.since: mailto.since is not a date: "yesterday"`, ""},
		{"[flags]\nheader = 'bad'", "c.toml:2: flags.header: a field is written", ""},
		{"[host.'ftp://h']\nftp.method = 'nowd'", `c.toml:2: host."ftp://h"."ftp.method": ftp.method is one of`, "nocwd"},
		{"[host.'news://h']\nnews.last = 'x'", `c.toml:2: host."news://h"."news.last": news.last is not a number from 1 on: "x"`, ""},
		{"[host.h]\nuser = 'a'", "c.toml:1: host.h: must be SCHEME://HOST or", ""},
		{"[host.'http://h/a']\nuser = 'a'", `c.toml:1: host."http://h/a": must be SCHEME://HOST or`, ""},
		{"[host.'http://h/a/']\nuser = 'a'", `c.toml:1: host."http://h/a/": a login belongs to the whole host`, ""},
		{"[host.'http://h/?a/']\nhttp.cert = 'a'", `c.toml:1: host."http://h/?a/": must be SCHEME://HOST or`, ""},
		{"[host.'http://u@h']\nuser = 'a'", `c.toml:1: host."http://u@h": must be SCHEME://HOST or`, ""},
		{"[host.'gofer://h']\nuser = 'a'", `c.toml:1: host."gofer://h": unknown scheme`, "gopher"},
		{"[host.'http://h']\nhttp.heder = 'a'", `c.toml:2: host."http://h"."http.heder": neither a known key nor a setting`, "http.header"},
		{"[host.'http://h']\npass-comand = 'a'", `c.toml:2: host."http://h".pass-comand: neither a known key nor a setting`, "pass-command"},
		{"[host.'ldap://h']\ncharset = 'koi8-r'", `c.toml:2: host."ldap://h".charset: the scheme has no charset`, ""},
		{"[host.'gopher://h']\ncharset = 'koi9'", `c.toml:2: host."gopher://h".charset: gopher.charset: unknown charset "koi9"`, ""},
		{"[host.'http://h']\npass-command = ' '", `c.toml:2: host."http://h".pass-command: must be a command`, ""},
		{"[host.'http://h']\npassword='x'\npass-command = 'a'", `c.toml:1: host."http://h": password and pass-command exclude each other`, ""},
	} {
		_, err := configOf(t, c.text)
		e, _ := err.(*fetch.Error)
		switch {
		case e == nil || e.Kind != fetch.ErrLocal || !strings.HasPrefix(e.Text, c.want):
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		case c.hint == "" && e.Hint != "" || c.hint != "" && e.Hint != c.hint+" is the most similar one":
			t.Errorf("%q: hint %q, want %q", c.text, e.Hint, c.hint)
		}
	}
}

// TestPromise7SecretsOfOthers checks that a file that others can read is refused if it contains a secret.
func TestPromise7SecretsOfOthers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c.toml")
	for text, secret := range map[string]bool{
		"[flags]\nuser = 'ann'":                                     false,
		"[flags]\nuser = 'ann:x'":                                   true,
		"[flags]\nproxy = 'http://p:3128'":                          false,
		"[flags]\nproxy = 'http://u:x@p:3128'":                      true,
		"[flags]\nset = ['http.version=2']":                         false,
		"[flags]\nset = ['snmp.priv-password=x']":                   true,
		"[host.'snmp://h']\n'snmp.priv-password' = 'x'":             true,
		"[host.'http://h']\npassword = 'x'":                         true,
		"[host.'http://h']\nuser = 'x'\npass-command = 'pass x'":    false,
		"[[mail.source]]\nuri = 'imap://u:x@h'":                     true,
		"[[mail.source]]\nuri = 'imap://u@h'\npass-command = 'a'":   false,
		"[[mail.source]]\nuri = 'imap://h'\nuser='u'\npassword='a'": true,
	} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil || secretfile.Check(name, info) == nil {
			t.Skip("files of this system have no such modes", err)
		}
		_, err = readConfig(func(string) string { return "" }, nil, NewVocabulary(flagsOfFiles), configFile{name, []byte(text)}, info)
		if (err != nil) != secret {
			t.Errorf("%q: got %v, want an error: %v", text, err, secret)
		}
	}
}

// TestLoginsOfTheFile checks that logins apply only to their scheme, host and port, and to the user that the URI names.
func TestLoginsOfTheFile(t *testing.T) {
	c, err := configOf(t, `
[host."http://h"]
user = "ann"
pass-command = ["printf", "two words\r\nmore"]
[host."ftp://h"]
pass-command = "echo word"
[host."imap://m"]
user = "bob"
password = "secret"
`)
	if err != nil {
		t.Fatal(err)
	}
	logins := c.Logins(schemes.All(nil), false)
	for in, want := range map[string]fetch.Login{
		"http://h/a":             {User: "ann", Password: "two words", Set: true},
		"http://H:80/":           {User: "ann", Password: "two words", Set: true},
		"http://ann@h/":          {User: "ann", Password: "two words", Set: true},
		"http://eve@h/":          {},
		"http://h:81/":           {},
		"https://h/":             {},
		"http://h.evil/":         {},
		"ftp://joe@h/":           {User: "joe", Password: "word", Set: true},
		"imap://bob;AUTH=*@m/":   {User: "bob", Password: "secret", Set: true},
		"imap://m/":              {User: "bob", Password: "secret", Set: true},
		"urn:ietf:rfc:1":         {},
		"nosuchscheme://h/a/b/c": {},
	} {
		if got, err := logins(context.Background(), loginRequest(in)); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", in, got, err, want)
		}
	}
	l, err := c.Logins(schemes.All(nil), true)(context.Background(), loginRequest("http://h/"))
	if err != nil || l.User != "ann" || strings.Contains(l.Password, "two") {
		t.Errorf("explain: got %+v, %v; want user ann without the password", l, err)
	}
}

// TestSettingsOfTheFile checks that settings apply to their scheme, host and port, and below the path of their table.
func TestSettingsOfTheFile(t *testing.T) {
	c, err := configOf(t, `
[host."gemini://h/app/me/"]
gemini.cert = "me.pem"
gemini.key = "me.key"
[host."gemini://h/app/"]
gemini.cert = "app.pem"
gemini.key = "app.key"
[host."gemini://h:1966"]
gemini.cert = "other.pem"
`)
	if err != nil {
		t.Fatal(err)
	}
	settings := c.Settings(schemes.All(nil))
	for in, want := range map[string]string{
		"gemini://h/app/":         "app.pem app.key",
		"gemini://H:1965/app/x?y": "app.pem app.key",
		"gemini://h/app/me/a":     "me.pem me.key",
		"gemini://h/%61pp/m%65/a": "me.pem me.key",
		"gemini://h/app/../other": " ",
		"gemini://h/app/%2e%2e/x": " ",
		"gemini://h/app":          " ",
		"gemini://h/application/": " ",
		"gemini://h":              " ",
		"gemini://h:1966":         "other.pem ",
		"gemini://h:1966/app/":    "other.pem ",
		"gemini://h.example/app/": " ",
		"gopher://h/app/":         " ",
	} {
		o := &fetch.Options{Set: settings(uri.MustParse(in))}
		if got := o.Get("gemini.cert") + " " + o.Get("gemini.key"); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func loginRequest(s string) fetch.LoginRequest {
	u := uri.MustParse(s)
	user, _, _ := u.User()
	user, _, _ = strings.Cut(user, ";")
	return fetch.LoginRequest{URI: u, Scheme: u.Scheme(), Host: u.Hostname(), User: user, Attempt: 1}
}

// TestPassCommand checks that the command has limits, runs without a shell, and that errors do not repeat its output.
func TestPassCommand(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		argv []string
		kind fetch.Kind
	}{
		{[]string{"sh", "-c", "echo geheim; exit 3"}, fetch.ErrAuth},
		{[]string{"sh", "-c", "exit 0"}, fetch.ErrAuth},
		{[]string{"sh", "-c", "echo; echo geheim"}, fetch.ErrAuth},
		{[]string{"sh", "-c", "head -c 100000 /dev/zero | tr '\\0' g"}, fetch.ErrAuth},
		{[]string{"/nonesuch/program"}, fetch.ErrAuth},
	} {
		got, err := (&passCommand{argv: c.argv}).password(context.Background())
		if got != "" || fetch.KindOf(err) != c.kind || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: got %q, %v; want %s without the program's output", c.argv, got, err, c.kind)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := (&passCommand{argv: []string{"sleep", "60"}}).password(ctx); err != context.DeadlineExceeded {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	count := filepath.Join(t.TempDir(), "count")
	once := &passCommand{argv: []string{"sh", "-c", "echo x >>" + count + "; echo geheim"}}
	failing := &passCommand{argv: []string{"sh", "-c", "echo x >>" + count + "; exit 1"}}
	for range 3 {
		if got, err := once.password(context.Background()); got != "geheim" || err != nil {
			t.Errorf("got %q, %v; want \"geheim\"", got, err)
		}
		if got, err := failing.password(context.Background()); got != "" || fetch.KindOf(err) != fetch.ErrAuth {
			t.Errorf("got %q, %v; want %s", got, err, fetch.ErrAuth)
		}
	}
	if b, _ := os.ReadFile(count); string(b) != "x\nx\n" {
		t.Errorf("the commands ran %d times, want once each", len(b)/2)
	}
}

// privateFile describes a file that only its owner can read, without a file.
type privateFile struct{ fs.FileInfo }

func (privateFile) Mode() fs.FileMode { return 0o600 }

// FuzzConfig checks that every text is read or refused with its file's name, and that a second reading gives the same result.
func FuzzConfig(f *testing.F) {
	v := NewVocabulary(flagsOfFiles) // collecting it takes longer than reading a file
	read := func(text string) (*Config, error) {
		return readConfig(annsHome, os.Stderr, v, configFile{"c.toml", []byte(text)}, privateFile{})
	}
	f.Add(example)
	f.Add("[host.'http://h']\nhttp.header = 'x'\n[[mail.source]]\nuri='imap://h'")
	f.Add("a.b.c = {d = [1, {e = 2}]}")
	f.Fuzz(func(t *testing.T, text string) {
		one, err := read(text)
		two, again := read(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "c.toml:") || again == nil || again.Error() != err.Error() {
				t.Fatalf("%q: got error %v, then %v; want the same, beginning with c.toml:", text, err, again)
			}
			return
		}
		if again != nil || len(one.hosts) != len(two.hosts) || !reflect.DeepEqual(one.Mail, two.Mail) || !reflect.DeepEqual(one.URN, two.URN) {
			t.Fatalf("%q: got %+v, want %+v again", text, two, one)
		}
	})
}
