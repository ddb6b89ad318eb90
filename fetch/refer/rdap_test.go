package refer

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestRDAP(t *testing.T) {
	g, err := Parse("whois=rdap")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{ // RFC 9082 section 3.1
		"whois://whois.iana.org/example.org":    "domain/example.org",
		"whois:example.org":                     "domain/example.org",
		"whois:xn--bcher-kva.example.":          "domain/xn--bcher-kva.example",
		"whois:b%C3%BCcher.example":             "domain/b%C3%BCcher.example",
		"whois:192.0.2.1":                       "ip/192.0.2.1",
		"whois:192.0.2.0/24":                    "ip/192.0.2.0/24",
		"whois:2001:db8::1":                     "ip/2001:db8::1",
		"whois:as64496":                         "autnum/64496",
		"whois:ASX":                             "entity/ASX",
		"whois:EXAMPLE-1":                       "entity/EXAMPLE-1",
		"whois:org":                             "entity/org",
		"whois:domain/org":                      "domain/org",
		"whois:NameServer/ns1.example.org":      "nameserver/ns1.example.org",
		"whois:ip/192.0.2.0/24":                 "ip/192.0.2.0/24",
		"whois:ip/x/y":                          "ip/x%2Fy",
		"whois:entity/a/../b":                   "entity/a%2F..%2Fb",
		"whois:ann@example.org":                 "entity/ann@example.org",
		"whois://h/?a+b":                        "entity/a%20b",
		"whois://h/":                            "help",
		"whois://h/a%3Fb%23c%0D%0Ad.e":          "domain/a%3Fb%23c%0D%0Ad.e",
		"whois://h/%2F%2Fother.example%2Fx.org": "entity/%2F%2Fother.example%2Fx.org",
	} {
		u, err := g.expand(uri.MustParse(in))
		if u.String() != "https://rdap.org/"+want || err != nil {
			t.Errorf("%s: got %s, %v; want %q", in, u, err, "https://rdap.org/"+want)
		}
	}
	if _, err := Parse("whois=nosuch"); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("an unknown name: got %v, want ErrLocal", err)
	}
}

// TestRDAPAsksForItsType: RFC 7480 section 4.2.
func TestRDAPAsksForItsType(t *testing.T) {
	g, err := Parse("whois=rdap")
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range [][]string{nil, {"text/html"}} {
		o := &fetch.Options{Accept: given}
		p, err := g.plan(uri.MustParse("whois:example.org"), o)
		want := given
		if want == nil {
			want = []string{"application/rdap+json"}
		}
		if err != nil || !slices.Equal(o.Accept, want) || len(p.Refers) != 1 {
			t.Errorf("%v: got %v, %v; want Accept %v and len(Refers) 1", given, o.Accept, err, want)
		}
	}
}

// FuzzRDAP: any query stays in the path after its kind.
func FuzzRDAP(f *testing.F) {
	f.Add("whois://h/example.org")
	f.Add("whois:ip/../%2e%2e/x?y#z")
	f.Fuzz(func(t *testing.T, s string) {
		u, err := uri.Parse(s)
		if err != nil {
			return
		}
		to, err := uri.Parse("https://rdap.org/" + rdapPath(u))
		_, query := to.Query()
		path := string(to.Path())
		if err != nil || to.Hostname() != "rdap.org" || query || path != "/help" && strings.Count(path, "/") != 2 &&
			!strings.HasPrefix(path, "/ip/") {
			t.Fatalf("%q: got %q, %v; want an RDAP path on rdap.org", s, to, err)
		}
	})
}
