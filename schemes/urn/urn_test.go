package urn

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme(nil)); n < 3 {
		t.Errorf("got %d rows, want at least 3", n)
	}
}

func TestReading(t *testing.T) {
	for _, c := range []struct {
		in   string
		mode uri.Mode
		want string // "" is a refusal
	}{
		{"urn:FOO:a%2Cb", uri.RFC3986, "foo a%2Cb"},
		{"urn:foo:a/b:c", uri.RFC3986, "foo a/b:c"},
		{"urn:foo:a?+r?=q", uri.RFC3986, "foo a +r =q"}, // RFC 8141 section 2.3
		{"urn:foo:a?=q?+r", uri.RFC3986, "foo a =q?+r"}, // the order is fixed: the rest is the q-component
		{"urn:x:a", uri.RFC2141, "x a"},
		{"urn:x:a", uri.RFC3986, ""}, // RFC 8141 section 2: two at least
		{"urn:", uri.RFC3986, ""}, {"urn:foo", uri.RFC3986, ""}, {"urn:foo:", uri.RFC3986, ""}, {"urn::a", uri.RFC3986, ""},
		{"urn:urn:a", uri.RFC3986, ""}, {"urn:-a:b", uri.RFC3986, ""}, {"urn:a-:b", uri.RFC3986, ""}, {"urn:a.b:c", uri.RFC3986, ""},
		{"urn:aaaaaaaaaabbbbbbbbbbccccccccccddd:x", uri.RFC3986, ""},
		{"urn://h/a", uri.RFC3986, ""}, {"urn:foo:a?b", uri.RFC3986, ""}, {"urn:foo:a?+", uri.RFC3986, ""}, {"urn:foo:a?=", uri.RFC3986, ""},
		{"urn:foo:a?+r?=", uri.RFC3986, ""}, {"urn:foo:/a", uri.RFC3986, ""}, {"urn:foo:a%00", uri.RFC3986, ""},
	} {
		got := ""
		r, err := parse(uri.MustParse(c.in), c.mode)
		if err == nil {
			got = *r.NID + " " + string(*r.NSS)
			if r.R != nil {
				got += " +" + string(*r.R)
			}
			if r.Q != nil {
				got += " =" + string(*r.Q)
			}
		}
		if got != c.want {
			t.Errorf("%s %s: got %q, %v, want %q", c.mode, c.in, got, err, c.want)
		}
	}
}

func TestPlans(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "urn:ietf:rfc:2648", Want: "referral\n-> https://www.rfc-editor.org/rfc/rfc2648.txt (namespace ietf)\n-> " +
			"ftp://ftp.rfc-editor.org/in-notes/rfc2648.txt (namespace ietf)"},
		{URI: "URN:IETF:RFC:0020", Want: "referral\n-> https://www.rfc-editor.org/rfc/rfc20.txt (namespace ietf)\n-> " +
			"ftp://ftp.rfc-editor.org/in-notes/rfc20.txt (namespace ietf)"},
		{URI: "urn:ietf:bcp:14", Want: "referral\n-> https://www.rfc-editor.org/info/bcp14 (namespace ietf)"},
		{URI: "urn:ietf:id:draft-ietf-asid-whois-url-01",
			Want: "referral\n-> https://www.ietf.org/archive/id/draft-ietf-asid-whois-url-01.txt (namespace ietf)\n" +
				"-> https://datatracker.ietf.org/doc/draft-ietf-asid-whois-url-01 (namespace ietf)"},
		{URI: "urn:isbn:0-395-36341-1", Want: "referral\n-> https://openlibrary.org/isbn/0395363411 (namespace isbn)"},
		{URI: "urn:issn:1560-156x", Want: "referral\n-> https://portal.issn.org/resource/ISSN/1560-156X (namespace issn)"},
		{URI: "urn:oid:1.3.6.1", Want: "referral\n-> http://oid-info.com/get/1.3.6.1 (namespace oid)"},
		{URI: "urn:uuid:f81d4fae", Kind: fetch.ErrUnsupported},
		{URI: "urn:foo:bar", Kind: fetch.ErrUnsupported},
		{URI: "urn:/iana/dns", Kind: fetch.ErrUnsupported},
		{URI: "urn:ietf:params:xml", Kind: fetch.ErrUnsupported},
		{URI: "urn:ietf:rfc:x", Kind: fetch.ErrRefusedURL},
		{URI: "urn:ietf:rfc:0", Kind: fetch.ErrRefusedURL},
		{URI: "urn:ietf:id:draft-../../x", Kind: fetch.ErrRefusedURL},
		{URI: "urn:isbn:123", Kind: fetch.ErrRefusedURL},
		{URI: "urn:isbn:978013110362X", Kind: fetch.ErrRefusedURL},
		{URI: "urn:issn:15601560", Kind: fetch.ErrRefusedURL},
		{URI: "urn:oid:1..2", Kind: fetch.ErrRefusedURL},
		{URI: "urn:oid:1.02", Kind: fetch.ErrRefusedURL},
		{URI: "urn:ietf:rfc:1", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
	}, Scheme(nil))
}

func TestTable(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "urn:EXAMPLE:a%2Cb/c", Want: "referral\n-> http://r.example/uri-res/N2L?urn:EXAMPLE:a%2Cb/c (urn table, urn:example:) own\n" +
			"-> https://h.example/a%252Cb%2Fc (urn table, urn:example:) own"},
		{URI: "urn:/iana/dns", Want: "referral\n-> gopher://h/1dns (urn table, urn:/iana/) own"},
		{URI: "urn:ietf:bcp:14", Want: "referral\n-> file:///srv/bcp/14 (urn table, urn:ietf:bcp:) own\n-> " +
			"https://www.rfc-editor.org/info/bcp14 (namespace ietf)"},
		{URI: "urn:ietf:BCP:14", Want: "referral\n-> https://www.rfc-editor.org/info/bcp14 (namespace ietf)"}, // case-sensitive
		{URI: "urn:bad:x", Kind: fetch.ErrLocal},
		// the name cannot change the host
		{URI: "urn:host:evil.example%2F/", Want: "referral\n-> https://evil.example%252F%2F.good.example/ (urn table, urn:host:) own"},
	}, Scheme(&Config{Table: []Entry{
		{"urn:example:", "http://r.example/uri-res/N2L?{+urn}"}, {"urn:example:", "https://h.example/{nss}"},
		{"urn:/iana/", "gopher://h/1{+rest}"}, {"urn:ietf:bcp:", "file:///srv/bcp/{rest}"}, {"urn:bad:", "{nss}"},
		{"urn:host:", "https://{nss}.good.example/"},
	}}))
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"urn:ietf:id:draft-{}"}, nil, Scheme(nil))
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"urn:ietf:rfc:1", "urn:foo:a?+r?=q", "urn:/a/b", "urn:isbn:0-395-36341-1", "urn:oid:1.2",
		"urn:ietf:id:draft-x"},
		Scheme(&Config{Table: []Entry{{"urn:", "http://h/{urn}"}}}))
}

// FuzzTable checks that a name cannot change a template's host.
func FuzzTable(f *testing.F) {
	f.Add("foo:a@b/c?=d")
	f.Add("/x//evil")
	c := fetch.New(Scheme(&Config{Table: []Entry{{"urn:", "http://h.example/{rest}?{nss}"}}}))
	f.Fuzz(func(t *testing.T, name string) {
		u, err := uri.Parse("urn:" + name)
		if err != nil {
			return
		}
		if p, err := c.Plan(u, nil); err == nil && p.Refers[0].URI.Host() != "h.example" {
			t.Fatalf("%q refers to %s, want h.example", name, p.Refers[0].URI)
		}
	})
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme(nil)) }

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(nil),
		fetchtest.Case{URI: "urn:example:nobody", Err: fetch.ErrUnsupported})
}

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(nil),
		"\x00\x1d\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03foo\x03urn\x04arpa\x00\x00\x23\x00\x01",
		"\x00\x01\x81\x80\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x23\x00\x01\x00\x00\x00\x00\x00\x0a\x00\x01\x00\x01\x01u\x01I\x00\x00",
	)
}

func TestDecode(t *testing.T) {
	t.Parallel()
	// RFC 1035 section 4: a header, the question, and an answer whose name points to it
	const question = "\x03foo\x03urn\x04arpa\x00\x00\x23\x00\x01"
	const query = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + question
	const answer = "\x12\x34\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00" + question + "\xc0\x0c\x00\x23\x00\x01\x00\x00\x00\x00\x00\x1b" +
		"\x00\x64\x00\x0a\x01u\x08http+I2L\x0a!^.*$!h\x1b!i\x00"
	for _, x := range []struct {
		frame    string
		datagram bool
		want     string
		n        int
	}{
		{query, true, `query 4660 NAPTR "foo.urn.arpa."`, len(query)},
		{"\x00\x1e" + query + "x", false, `query 4660 NAPTR "foo.urn.arpa."`, 32},
		{"\x00\x1e" + query[:9], false, "", 32},
		{answer, true, `response 4660 NOERROR NAPTR "foo.urn.arpa."; "foo.urn.arpa." NAPTR 100 10 "u" "http+I2L" "!^.*$!h\x1b!i" ""`, len(answer)},
		{"\x12\x34\x81\x83\x00\x00\x00\x00\x00\x00\x00\x00", true, "response 4660 NXDOMAIN", 12},
		{"short", true, "", -1},
	} {
		got, n := decode(fetch.Frame{Dir: fetch.FromServer, Data: []byte(x.frame), Datagram: x.datagram})
		if got != x.want || n != x.n {
			t.Errorf("decode(%q): got %s, %d, want %s, %d", x.frame, got, n, x.want, x.n)
		}
	}
}

// TestEqual checks that r-, q- and f-components do not count (RFC 8141 section 3.2), and that case matters only after the NID.
func TestEqual(t *testing.T) {
	rules := Scheme(nil).Rules
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"urn:example:a123,z456", "URN:EXAMPLE:a123,z456", true}, // the examples of section 3.2
		{"urn:example:a123,z456", "urn:example:a123,z456?+abc", true},
		{"urn:example:a123,z456", "urn:example:a123,z456?=xyz", true},
		{"urn:example:a123,z456", "urn:example:a123,z456#789", true},
		{"urn:example:a123,z456", "urn:example:a123,z456/foo", false},
		{"urn:example:a123,z456", "urn:example:A123,z456", false},
		{"urn:example:a123%2Cz456", "urn:example:a123%2cz456", true},
		{"urn:example:a123,z456", "urn:example:a123%2Cz456", false},
	} {
		if got := uri.RFC2141.Equal(uri.MustParse(tt.a), uri.MustParse(tt.b), &rules); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
