package whois

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Schemes(nil)...); n < 5 {
		t.Errorf("only %d rows", n)
	}
}

func TestReading(t *testing.T) {
	for _, c := range []struct {
		in, host, query string
		port            int
	}{
		{"whois://h/example.org", "h", "example.org", 43},
		{"whois://h/a/b", "h", "a/b", 43},          // the path is one line
		{"whois://h//a", "h", "/a", 43},            // only the first slash belongs to the URI
		{"whois://h/?tim+lee", "h", "tim lee", 43}, // libwww's search
		{"whois://h/-T%20dn?x", "h", "-T dn x", 43},
		{"whois:example.org", "whois.iana.org", "example.org", 43},
		{"whois:/a", "whois.iana.org", "a", 43},
		{"whois++://h:7070/name=a%3Bb", "h", "name=a;b", 7070},
	} {
		u := uri.MustParse(c.in)
		s, _ := fetch.Registry(Schemes(nil)).Lookup(u.Scheme())
		v, err := s.Read(u, uri.RFC3986)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if r := v.(request); r.Host != c.host || string(r.Query) != c.query || r.Port != c.port {
			t.Errorf("%s: got %+v, want host %q, query %q, port %d", c.in, r, c.host, c.query, c.port)
		}
	}
}

func TestPlans(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "whois://h/example.org", Want: "tcp h:43 none search text/plain\nexample.org"},
		{URI: "whois://h", Options: fetch.Options{Search: []string{"a", "b"}}, Want: "tcp h:43 none search text/plain\na b"},
		{URI: "whois++://[::1]/", Want: "tcp [::1]:63 none search text/plain\ndescribe"},
		{URI: "whois++://h/x", Options: fetch.Options{Search: []string{"y"}}, Want: "tcp h:63 none search text/plain\nx y"},
		{URI: "whois://h/", Kind: fetch.ErrRefusedURL},
		{URI: "whois:", Kind: fetch.ErrRefusedURL},
		{URI: "whois:///x", Kind: fetch.ErrRefusedURL},
		{URI: "whois++:x", Kind: fetch.ErrRefusedURL},
		{URI: "whois://-h/x", Kind: fetch.ErrRefusedURL},
		{URI: "whois://h:25/x", Kind: fetch.ErrRefusedPort},
		{URI: "whois://h/x", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
		{URI: "whois://h/x", Options: fetch.Options{Range: fetch.Range{From: 3}}, Kind: fetch.ErrRange},
		{URI: "whois://h/x", Options: fetch.Options{Search: []string{"a\r\nb"}}, Kind: fetch.ErrRefusedURL},
	}, Schemes(nil)...)
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "whois:x", Want: "tcp w.example:4343 none search text/plain\nx"},
	}, Schemes(&Config{Host: "w.example:4343"})...)
	fetchtest.Plans(t, []fetchtest.PlanCase{{URI: "whois:x", Kind: fetch.ErrLocal}}, Schemes(&Config{Host: "a b:x"})...)
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"whois://h/a{}", "whois://h/?a{}", "whois:a{}", "whois://h{}/a", "whois++://h/a{}"}, nil, Schemes(nil)...)
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"whois://h/example.org", "whois:x", "whois++://acm.org/name=phil%20and%0D", "whois://h?a+b"}, Schemes(nil)...)
}

func TestPage(t *testing.T) {
	schemetest.Page(t, outcomes(), Schemes(nil)[0])
	schemetest.Page(t, messages(), Schemes(nil)[1])
}
