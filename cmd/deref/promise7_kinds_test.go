package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// teller returns a server, also usable as a proxy, that echoes everything that it receives: header fields, the tokens and values in them,
// and the user and password of Basic. It also sets its own cookie.
func teller(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var told []string
		for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
			for _, v := range r.Header[name] {
				told = append(append(told, v), strings.FieldsFunc(v, func(c rune) bool { return strings.ContainsRune(` ,;"`, c) })...)
				if plain, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(v, "Basic ")); err == nil {
					told = append(append(told, string(plain)), strings.Split(string(plain), ":")...)
				}
				for _, pair := range strings.FieldsFunc(v, func(c rune) bool { return strings.ContainsRune(` ,;`, c) }) {
					_, value, _ := strings.Cut(pair, "=")
					told = append(told, strings.Trim(value, `"`))
				}
			}
		}
		w.Header()["X-Told"] = told
		w.Header().Set("ETag", fmt.Sprintf("%q", told))
		w.Header().Set("Set-Cookie", "sid=OfTheServer123; Path=/")
		switch r.URL.Path {
		case "/no":
			w.WriteHeader(403)
		case "/challenge":
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Nonsense realm=%q", strings.Join(told, " ")))
			w.WriteHeader(401)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// No credential of any kind appears in the command's output, except in the bytes of the document (promise 7).
func TestPromise7EveryKindOfCredential(t *testing.T) {
	long(t, "many commands or processes")
	server := teller(t)
	proxy := strings.Replace(server.URL, "http://", "http://pat:OfTheProxy456@", 1)
	ofTheProxy := []string{"OfTheProxy456", base64.StdEncoding.EncodeToString([]byte("pat:OfTheProxy456"))}
	basic := base64.StdEncoding.EncodeToString([]byte(`ann:Open"Sesame%`))
	file := func(name, text string) string { return write(t, filepath.Join(t.TempDir(), name), text) }
	other := "http://www.example/"
	for _, tt := range []struct {
		name string
		args []string
		env  []string
		at   string // the URI to dereference; the server's if empty
		not  []string
	}{
		{name: "-u", args: []string{"--set", "http.auth=basic", "-u", `ann:Open"Sesame%`}, not: []string{`Open"Sesame%`, `Open\"Sesame%`, basic}},
		{name: "-u, one letter", args: []string{"--set", "http.auth=basic", "-u", "ann:~"}, not: []string{"~"}},
		{name: "Basic by -H", args: []string{"-H", "Authorization: Basic " + basic}, not: []string{`Open"Sesame%`, `Open\"Sesame%`, basic}},
		{name: "Bearer by -H", args: []string{"-H", "Authorization: Bearer T0kenOfBearer"}, not: []string{"T0kenOfBearer"}},
		{name: "an unknown way by -H", args: []string{"-H", `Authorization: OAuth oauth_token="T0kenOfOauth", oauth_signature="S1gnature"`},
			not: []string{"T0kenOfOauth", "S1gnature"}},
		{name: "Digest by -H", args: []string{"-H", `Authorization: Digest username="ann", uri="/x", response="0123456789abcdef"`},
			not: []string{"0123456789abcdef"}},
		{name: "Proxy-Authorization by -H", args: []string{"-H", "Proxy-Authorization: Basic " + basic}, not: []string{`Open"Sesame%`, basic}},
		{name: "Cookie by -H", args: []string{"-H", "Cookie: lang=en; sid=C00kieByHand"}, not: []string{"C00kieByHand"}},
		{name: "-b", args: []string{"-b", "lang=en; sid=C00kieOfB"}, not: []string{"C00kieOfB", "OfTheServer123"}},
		{name: "-b of a file", args: []string{"-b", file("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tC00kieOfTheJar\n")},
			not: []string{"C00kieOfTheJar", "OfTheServer123"}},
		{name: "a jar", args: []string{"-b", ""}, not: []string{"OfTheServer123"}},
		{name: "netrc default", args: []string{"--set", "http.auth=basic", "--netrc-file",
			file("netrc", "default login ann password OfNetrc789\n")}, not: []string{"OfNetrc789"}},
		{name: "pass-command", args: []string{"--set", "http.auth=basic", "--config",
			file("config.toml", "[host.\""+server.URL+"\"]\nuser = \"ann\"\npass-command = \"echo OfTheProgram\"\n")},
			not: []string{"OfTheProgram"}},
		{name: "--user-file", args: []string{"--set", "http.auth=basic", "--user-file", file("user", "ann:OfTheFile\n")},
			not: []string{"OfTheFile"}},
		{name: "a gateway", args: []string{"--set", "http.auth=basic", "--gateway", "wais=" +
			strings.Replace(server.URL, "http://", "http://ann:OfTheGateway@", 1) + "{+path}"}, at: "wais://h", not: []string{"OfTheGateway"}},
		{name: "-x", args: []string{"-x", proxy}, at: "http://www.example", not: ofTheProxy},
		{name: "-x, a tunnel", args: []string{"-x", proxy}, at: "https://www.example", not: ofTheProxy},
		{name: "http_proxy", env: []string{"http_proxy=" + proxy}, at: "http://www.example", not: ofTheProxy},
		{name: "https_proxy", env: []string{"https_proxy=" + proxy}, at: "https://www.example", not: ofTheProxy},
		{name: "ftp_proxy", env: []string{"ftp_proxy=" + proxy}, at: "ftp://www.example", not: ofTheProxy},
		{name: "Referer", args: []string{"-e", "http://ann:OfTheReferer@h/"}, not: []string{"OfTheReferer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := input{home: t.TempDir(), env: append(tt.env, "PATH="+os.Getenv("PATH"))}
			run := func(args ...string) string {
				out, errs, _ := invoked(t, in, args...)
				return out + errs
			}
			for _, path := range []string{"/ok", "/no", "/challenge"} {
				dir := t.TempDir()
				at := tt.at
				if at == "" {
					at = server.URL
				}
				args := append([]string{"-v", "--json", "-w", "%{header_json}%header{x-told}%header{etag}%{referrals}%{reason}%{errormsg}", "-o",
					filepath.Join(dir, "document"), "-m", "20", "--trace", filepath.Join(dir, "trace"), "--record", filepath.Join(dir, "record"),
					"--warc", filepath.Join(dir, "a.warc"), "--cache", filepath.Join(dir, "cache")}, tt.args...)
				out := run(append(args, at+path)...)
				if !strings.Contains(out, "connected") && !strings.Contains(out, "proxy") {
					t.Fatalf("got output %s, want a connection", out)
				}
				checkNothing(t, path, out, tt.not)
				for name, text := range filesIn(t, dir) {
					if name != "document" {
						checkNothing(t, path+" "+name, text, tt.not)
					}
				}
			}
			args := append(append([]string{"explain", "--json"}, tt.args...), other)
			checkNothing(t, "explain", run(args...), tt.not)
		})
	}
}

// filesIn returns the contents of the files in dir and its subdirectories, by relative name.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		list[name] = string(b)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return list
}

func checkNothing(t *testing.T, where, text string, secrets []string) {
	t.Helper()
	for _, s := range secrets {
		if i := strings.Index(text, s); i >= 0 {
			t.Errorf("%s: got %q, want it without %q", where, text[max(0, i-100):min(len(text), i+len(s)+60)], s)
		}
	}
}

// An error about a wrong command line contains no credential either.
func TestPromise7WrongCommands(t *testing.T) {
	home := t.TempDir()
	for _, args := range [][]string{
		{"//ann:S3cret@h/"},
		{"--json", "//ann:S3cret@h/"},
		{"--base", "//ann:S3cret@h/", "x"},
		{"mirror", "//ann:S3cret@h/", t.TempDir()},
		{"send", "//ann:S3cret@h/"},
		{"session", "//ann:S3cret@h/"},
		{"locate", "snmp://S3cret@h/1.3"},
		{"locate", "ftp://ann:S3cret@h/"},
		{"--news", "http://ann:S3cret@h/", "news:a@b"},
		{"--set", "snmp.priv-password:S3cret", "snmp://h/"},
		{"explain", "--gateway", "wais=http://ann:S3cret@h{+path}", "wais://h/"},
		{"explain", "--json", "--gateway", "wais=http://ann:S3cret@h{+path}", "wais://h/"},
		{"ftp://ann:S3cret@h:x/"},
		{"-x", "http://ann:S3cret@h h/", "http://h/"},
		{"--cert", "cert.pem:S3cret", "https://h/"},
		{"--cert", "cert.pem:S3cret", "--key", "key.pem", "gemini://h/"},
	} {
		out, errs, _ := invoked(t, input{home: home}, args...)
		if len(out)+len(errs) == 0 {
			t.Errorf("%q: got no output, want an error message", args)
		}
		checkNothing(t, strings.Join(args, " "), out+errs, []string{"S3cret"})
	}
}
