package promises_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

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
