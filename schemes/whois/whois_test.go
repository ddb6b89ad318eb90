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
	schemetest.Page(t, outcomes, Schemes(nil)[0])
	schemetest.Page(t, messages, Schemes(nil)[1])
}

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Schemes(nil)[0],
		fetchtest.Case{Name: "record", URI: "whois://whois.example/example.org", Type: "text/plain", End: fetch.EndClosed,
			Body: "domain: example.org\r\nstatus: lab\r\n", Script: `
C: example.org
S: domain: example.org
S: status: lab
*: [end]
`},
		fetchtest.Case{Name: "referral", URI: "whois://whois.example/example.org", Body: "refer: whois.other.example\r\n",
			Client: func(c *fetch.Client) { c.Policy.NoFollow = true }, Script: `
C: example.org
S: refer: whois.other.example
*: [end]
`},
		fetchtest.Case{Name: "no match", URI: "whois://whois.example/nobody", Err: fetch.ErrNotFound, Script: `
C: nobody
S: % the lab's server
S: No match for "nobody".
*: [end]
`},
		fetchtest.Case{Name: "silence", URI: "whois://whois.example/x", Err: fetch.ErrTruncated, Script: `
C: x
*: [end]
`},
		fetchtest.Case{Name: "two lines", URI: "whois://whois.example/a%0D%0Ab", Err: fetch.ErrRefusedURL},
	)
}

func TestConformanceTemplates(t *testing.T) {
	fetchtest.Test(t, Schemes(nil)[1],
		fetchtest.Case{Name: "record", URI: "whois++://acm.example/name=phil", Type: "text/plain", End: fetch.EndTerminated,
			Body: "# FULL USER ACM-1 PZ01\r\n Name: Phil\r\n# END\r\n", Script: `
C: name=phil
S: % 220-acm.example ready
S: % 200 Command okay
S: # FULL USER ACM-1 PZ01
S:  Name: Phil
S: # END
S: % 226 Transaction complete
*: [whole]
S: % 203 Bye
*: [end]
`},
		fetchtest.Case{Name: "servers to ask", URI: "whois++://acm.example/name=phil",
			Body:   "# SERVER-TO-ASK ACM-1\r\n Host-Name: h.example\r\n# END\r\n",
			Client: func(c *fetch.Client) { c.Policy.NoFollow = true }, Script: `
C: name=phil
S: % 220-acm.example ready
S: # SERVER-TO-ASK ACM-1
S:  Host-Name: h.example
S: # END
S: % 226 Transaction complete
*: [whole]
`},
		fetchtest.Case{Name: "nothing", URI: "whois++://acm.example/name=zz", Err: fetch.ErrNotFound, Script: `
C: name=zz
S: % 220 ready
S: % 200 Command okay
S: % 226 Transaction complete
`},
		fetchtest.Case{Name: "too many", URI: "whois++://acm.example/a", Err: fetch.ErrLimit, Script: `
C: a
S: % 220 ready
S: # HANDLE USER ACM-1 PZ01
S: % 110 Too many hits
S: % 226 Transaction complete
`},
		fetchtest.Case{Name: "too many, and none is sent", URI: "whois++://acm.example/a", Err: fetch.ErrLimit, Script: `
C: a
S: % 220 ready
S: % 204 Overflow in number of hits
S: % 226 Transaction complete
`},
		fetchtest.Case{Name: "authentication", URI: "whois++://acm.example/a:authenticate=password", Err: fetch.ErrAuth, Script: `
C: a:authenticate=password
S: % 220 ready
S: % 430 Authentication needed
`},
		fetchtest.Case{Name: "not understood", URI: "whois++://acm.example/a=(", Err: fetch.ErrUnsupported, Script: `
C: a=(
S: % 220 ready
S: % 500 Syntax error
`},
		fetchtest.Case{Name: "busy", URI: "whois++://acm.example/a", Err: fetch.ErrUnavailable, Script: `
C: a
S: % 401 Service not available
`},
	)
}
