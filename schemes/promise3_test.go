// Package schemes_test tests what holds for every scheme: the promises, strict mode, decoders, and dialogues of other projects' tests.
package schemes_test

import (
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

// The zone of an address names an interface of this machine: connections use it, but it is never sent to a server (RFC 6874 section 1).
func TestPromise3NoZoneToAServer(t *testing.T) {
	const host = "[fe80::1%25eth0]"
	paths := map[string]string{
		"cso": "/a", "dict": "/d:a", "file": "", "finger": "/a", "ftp": "/a/b", "ftps": "/a/b", "gemini": "/a?b", "gopher": "/0a",
		"gophers": "/0a", "http": "/a?b", "https": "/a?b",
		"imap": "/INBOX;UID=1", "imaps": "/INBOX;UID=1", "ldap": "/o=a", "ldaps": "/o=a", "news": "/a.b", "snews": "/a.b", "nntp": "/a.b/1",
		"nntps": "/a.b/1", "nex": "/a",
		"prospero": "/a", "rlogin": "", "snmp": "//1.3.6.1.2.1.1.3.0", "spartan": "/a?b", "telnet": "", "telnets": "", "tn3270": "",
		"wais": "/a?b", "whois": "/a",
		"whois++": "/a", "x500": "/c=CH",
	}
	c := fetch.New(schemes.All(&schemes.Config{Mail: &mail.Config{Submission: "smtp://" + host + ":25", From: "me@h.example"}})...)
	defer c.Close()
	tried := 0
	for _, s := range c.Schemes {
		for _, name := range s.Names {
			path, known := paths[name]
			if !known {
				path = "/a"
			}
			u, err := uri.Parse(name + "://" + host + path)
			if name == "mailto" {
				u, err = uri.Parse("mailto:a@b.example")
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, o := range []fetch.Options{{}, {Op: fetch.Metadata}, {Op: fetch.Attach}, {Op: fetch.Send},
				{Set: map[string][]string{"http.referer": {"http://" + host + "/"}}}, {Login: fetch.Login{User: "cn=a", Password: "p", Set: true}}} {
				p, err := c.Plan(u, &o)
				if err != nil || !strings.Contains(p.Addr, "%eth0") {
					continue
				}
				tried++
				for _, step := range p.Steps {
					if said := slices.Concat([]string{step.Verb, step.Data}, step.Args, step.Tail); slices.ContainsFunc(said,
						func(s string) bool { return strings.Contains(s, "eth0") }) {
						t.Errorf("%s: got the step %q, want none with the zone", u, said)
					}
				}
				delete(paths, name)
			}
		}
	}
	delete(paths, "file")
	for name := range paths {
		t.Errorf("%s: got no Plan, want one", name)
	}
	if tried < 30 {
		t.Errorf("got %d Plans, want at least 30", tried)
	}
}

// A file name that contains a line end does not add a line to a listing.
func TestPromise3ListingsOfServers(t *testing.T) {
	files := fstest.MapFS{"a\n=> finger://evil.example/ x": {Data: []byte("x")}, "b\r\nc": {Data: []byte("y")}, "good": {Data: []byte("z")}}
	finger, nex, spartan := fingertest.NewServer(files, nil), nextest.NewServer(files, nil), spartantest.NewServer(files, nil)
	defer finger.Close()
	defer nex.Close()
	defer spartan.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for u, want := range map[string]int{finger.URL: 2, nex.URL: 3, spartan.URL + "/": 4} { // finger's header, spartan's title
		d, err := c.Get(t.Context(), uri.MustParse(u), nil)
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		if got := strings.Count(string(b), "\n"); err != nil || got != want || strings.Contains(strings.ReplaceAll(string(b), "\r\n", ""), "\r") {
			t.Errorf("%s: got %d lines, %v, want %d: %q", u, got, err, want, b)
		}
	}
}

// Handlers write to connections with Conn.Send and its variants, which check and trace the lines. These places do not write lines.
var writesItself = map[string]string{
	"ldap/guard.go":        "messages of the library, each looked at",
	"ldap/tls.go":          "one message of ours, through the guard",
	"mail/imap_guard.go":   "commands of the library, each looked at",
	"mail/smtp_session.go": "the message of DATA",
	"rlogin/attach.go":     "what is typed, and sizes in binary",
	"http/h2collect.go":    "the frames of h2guard.go, several in one piece",
	"http/h2guard.go":      "frames of net/http, which checks every field",
	"internal/nvt/host.go": "telnet's answers, what is typed, and 3270 records",
	"urn/resolver.go":      "a DNS message",
}

// No handler writes to a connection without Conn.Send, SendAs or SendBody, except for the places above.
func TestPromise3NobodyWritesPastTheCheck(t *testing.T) {
	t.Parallel()
	direct := regexp.MustCompile(`(?i)\b(\w+\.)*(c|conn|g|guard|s\.guard|sock|out)\.(Write|WriteString)\(|Fprintf?(ln)?\((\w+\.)*(c|conn)\b|io\.WriteString\((\w+\.)*(c|conn)\b|\.Unchecked\(\)|io\.Copy(N|Buffer)?\((\w+\.)*(c|conn),`)
	found := map[string]bool{}
	all := os.DirFS(".")
	err := fs.WalkDir(all, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasSuffix(path.Dir(name), "test") {
			return err
		}
		b, err := fs.ReadFile(all, name)
		if err != nil || !strings.Contains(string(b), "deref/fetch") {
			return err
		}
		for n, line := range strings.Split(string(b), "\n") {
			code, _, _ := strings.Cut(line, "// ")
			if !direct.MatchString(code) || strings.Contains(code, "t.Out") || toBuffer.MatchString(code) {
				continue
			}
			if found[name] = true; writesItself[name] == "" {
				t.Errorf("%s:%d writes to a connection past Conn.Send: %s", name, n+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range writesItself {
		if !found[name] {
			t.Errorf("%s is listed, and does not write to a connection any more", name)
		}
	}
}

// toBuffer lists writes into memory that look like writes to a connection.
var toBuffer = regexp.MustCompile(`s\.out\.Write(String)?\(`)
