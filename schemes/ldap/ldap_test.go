package ldap

import (
	"encoding/json"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/uri"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Schemes(nil)...); n < 4 {
		t.Errorf("got %d rows, want at least 4", n)
	}
}

func TestReading(t *testing.T) {
	for in, want := range map[string]string{
		// RFC 4516 section 4
		"ldap://ldap1.example.com/c=GB?objectClass?ONE":                              `["c=GB",["objectClass"],"one","(objectClass=*)",[]]`,
		"ldap://ldap2.example.com/o=Question%3f,c=US?mail":                           `["o=Question?,c=US",["mail"],"base","(objectClass=*)",[]]`,
		"ldap://ldap3.example.com/o=Babsco,c=US???(four-octet=%5c00%5c00%5c00%5c04)": `["o=Babsco,c=US",[],"base","(four-octet=\\00\\00\\00\\04)",[]]`,
		"ldap://ldap.example.com/o=An%20Example%5C2C%20Inc.,c=US":                    `["o=An Example\\2C Inc.,c=US",[],"base","(objectClass=*)",[]]`,
		"ldap:///??sub??e-bindname=cn=Manager%2cdc=example%2cdc=com":                 `["",[],"sub","(objectClass=*)",[{"critical":false,"type":"e-bindname","value":"cn=Manager,dc=example,dc=com"}]]`,
		"ldap:///??sub??bindname=cn=Manager%2co=Foo":                                 `["",[],"sub","(objectClass=*)",[{"critical":false,"type":"bindname","value":"cn=Manager,o=Foo"}]]`,
		"ldap:///??sub??!e-bindname=x,y":                                             `["",[],"sub","(objectClass=*)",[{"critical":true,"type":"e-bindname","value":"x"},{"critical":false,"type":"y","value":null}]]`,
		"ldap://h":                                                                   `["",[],"base","(objectClass=*)",[]]`,
		"ldap://h/?*,+,cn;lang-de,2.5.4.3":                                           `["",["*","+","cn;lang-de","2.5.4.3"],"base","(objectClass=*)",[]]`,
		"ldap://h/a?????":                                                            "", "ldap:x": "", "ldap://h/x??tree": "",
		"ldap://h/x?a%20b": "", "ldap://h/x?a,": "", "ldap://h/%00": "", "ldap://h/%FF": "",
		"ldap://h/x???cn=a": "", "ldap://h/x???(cn=a": "", "ldap://h/x???(cn=a))": "", "ldap://h/x???(cn=a)(sn=b)": "",
		"ldap://h/x???(cn=%00)":   "",
		"ldap://h/x???(cn=%5cz1)": "", "ldap://h/x???(cn=%5c0": "", "ldap://h/x????=a": "",
		"ldap://h/x???" + strings.Repeat("(!", 33) + "(a=b)" + strings.Repeat(")", 33): "",
		"ldap://h/x???(a=" + strings.Repeat("b", maxFilter) + ")":                      "",

		"x500://h/c=CH/o=CERN/cn=Ann%20Lee": `["cn=Ann Lee,o=CERN,c=CH",[],"base","(objectClass=*)",[]]`,
		"x500://h/c=CH/o=A%2C%20B%2FC%2BD/": `["o=A\\, B/C\\+D,c=CH",[],"base","(objectClass=*)",[]]`,
		"x500://h/cn=a+sn=%20b%20":          `["cn=a+sn=\\ b\\ ",[],"base","(objectClass=*)",[]]`,
		"x500:/c=CH":                        `["c=CH",[],"base","(objectClass=*)",[]]`,
		"x500://h/?Ann+Lee,+IT,+CERN,+CH":   `["ou=IT,o=CERN,c=CH",[],"sub","(|(cn~=Ann Lee)(sn~=Ann Lee))",[]]`,
		"x500://h/?Lee,CERN":                `["o=CERN",[],"sub","(|(cn~=Lee)(sn~=Lee))",[]]`,
		"x500://h/c=CH?Lee%2A":              `["c=CH",[],"sub","(|(cn~=Lee\\2a)(sn~=Lee\\2a))",[]]`,
		"x500://h/c=CH/o=a%0Ab":             `["o=a\\0Ab,c=CH",[],"base","(objectClass=*)",[]]`,
		"x500://h":                          "", "x500://h/": "", "x500://h/x": "", "x500://h/c=": "", "x500://h/=x": "",
		"x500://h/c=CH//o=x": "", "x500://h/c=%00": "", "x500://h/?a,,b": "",
	} {
		u := uri.MustParse(in)
		s, _ := fetch.Registry(Schemes(nil)).Lookup(u.Scheme())
		got := ""
		v, err := s.Read(u, uri.RFC3986)
		if err == nil {
			r := v.(request)
			b, _ := json.Marshal([]any{r.DN, r.Attributes, r.Scope, r.Filter, r.Extensions})
			got = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
		}
		if got != want {
			t.Errorf("%.70s: %s, want %s (%v)", in, got, want, err)
		}
	}
}

func TestPlans(t *testing.T) {
	const rest = " {again until the last page}"
	login := fetch.Options{Login: fetch.Login{User: "cn=ann", Password: "pw", Set: true}}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "ldap://h/o=U%20M,c=US?cn,mail?sub?(cn=Babs*)",
			Want: "tcp h:389 none search\nbind anonymous\nsearch o=U M,c=US sub cn mail page 500 \"(cn=Babs*)\"" + rest},
		{URI: "ldaps:///c=US", Want: "tcp localhost:636 implicit listing\nbind anonymous\nsearch c=US base page 500 \"(objectClass=*)\"" + rest},
		{URI: "ldap://h/c=US", Options: login, Want: "tcp h:389 none listing\nStartTLS {if the server offers StartTLS}\n" +
			"bind cn=ann pw {secret}\nsearch c=US base page 500 \"(objectClass=*)\"" + rest},
		{URI: "ldap://h/c=US????bindname=cn=x", Want: "tcp h:389 none listing\nbind anonymous\nsearch c=US base page 500 \"(objectClass=*)\"" +
			rest},
		{URI: "ldap://h/c=US", Options: fetch.Options{Op: fetch.Metadata, Set: map[string][]string{"ldap.page": {"7"}}},
			Want: "tcp h:389 none listing\nbind anonymous\nsearch c=US base 1.1 page 7 \"(objectClass=*)\"" + rest},
		{URI: "x500://h/c=CH", Options: fetch.Options{Search: []string{"", "b"}}, Want: "tcp h:389 none search\nbind anonymous\n" +
			"search c=CH sub page 500 \"(&(cn=*)(cn=*b*))\" {again until the last page}"},
		{URI: "x500://h/c=CH", Options: fetch.Options{Search: []string{"Ann", "(x)"}}, Want: "tcp h:389 none search\nbind anonymous\n" +
			`search c=CH sub page 500 "(&(cn=*Ann*)(cn=*\\28x\\29*))"` + rest},
		{URI: "x500:/c=CH", Want: "tcp localhost:389 none listing\nbind anonymous\nsearch c=CH base page 500 \"(objectClass=*)\"" + rest},
		{URI: "ldap://h/c=US????bindname=cn=Manager%2co=Foo", Options: fetch.Options{Login: fetch.Login{Password: "pw", Set: true}},
			Want: "tcp h:389 none listing\n" +
				// the comma is data
				"StartTLS {if the server offers StartTLS}\nbind cn=Manager,o=Foo pw {secret}\nsearch c=US base page 500 \"(objectClass=*)\"" + rest},
		{URI: "ldap://h/c=US????!bindname=cn=x", Kind: fetch.ErrAuth}, // critical, and no password to keep it with
		{URI: "ldap://h/c=US????!bindname=cn=x", Options: fetch.Options{Login: fetch.Login{Password: "pw", Set: true}},
			Want: "tcp h:389 none listing\n" +
				"StartTLS {if the server offers StartTLS}\nbind cn=x pw {secret}\nsearch c=US base page 500 \"(objectClass=*)\"" + rest},
		{URI: "ldap://h/c=US????!x-odd=1", Kind: fetch.ErrUnsupported}, // RFC 4516 section 2: critical
		{URI: "ldap://h/c=US", Options: fetch.Options{Set: map[string][]string{"ldap.page": {"x"}}}, Kind: fetch.ErrUnsupported},
		{URI: "ldap://h/c=US", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "ldap://h/c=US?o???x-value", Options: fetch.Options{Search: []string{"a"}}, Kind: fetch.ErrRefusedURL},
		{URI: "ldap://h/c=US", Options: fetch.Options{Range: fetch.Range{To: 3}}, Kind: fetch.ErrRange},
		{URI: "ldap://h:25/", Kind: fetch.ErrRefusedPort},
		{URI: "ldap://-h/", Kind: fetch.ErrRefusedURL},
		{URI: "ldap://h/x", Kind: fetch.ErrRefusedURL},
		{URI: "ldap://h/o=x", Options: loginOf("alice"), Kind: fetch.ErrRefusedURL},
		{URI: "ldap://h/o=x", Options: loginOf("cn=a,,"), Kind: fetch.ErrRefusedURL},
		{URI: "ldap://h/o=x????!bindname=alice", Options: loginOf(""), Kind: fetch.ErrRefusedURL},
		{URI: "ldap://h/o=x", Options: loginOf("alice@corp.example"),
			Want: "tcp h:389 none listing\nStartTLS {if the server offers StartTLS}\nbind alice@corp.example pw {secret}\nsearch o=x base page " +
				"500 \"(objectClass=*)\"" + rest},
		{URI: "ldap://h/o=x", Options: loginOf(`CORP\alice`),
			Want: "tcp h:389 none listing\nStartTLS {if the server offers StartTLS}\nbind CORP\\alice pw {secret}\nsearch o=x base page 500 " +
				"\"(objectClass=*)\"" + rest},
	}, Schemes(nil)...)
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "ldap:///", Want: "tcp [::1]:3890 none listing\nbind anonymous\nsearch  base page 500 \"(objectClass=*)\"" + rest},
	}, Schemes(&Config{Host: "[::1]:3890"})...)
	fetchtest.Plans(t, []fetchtest.PlanCase{{URI: "ldap:///", Kind: fetch.ErrLocal}}, Schemes(&Config{Host: ":389"})...)
}

// TestInjection: a filter is sent with its length, so it may contain CR and LF. Only NUL is refused.
func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"ldap://h/cn=a{}", "ldap://h/?a{}", "ldap://h{}/", "ldap://h/????a{}"}, nil, Schemes(nil)...)
	c := fetch.New(Schemes(nil)...)
	for _, bad := range []string{"x500://h/cn=a%00", "ldap://h/???(cn=%00)", "x500://h/?a%00", "x500://h/c%0D=a", "x500://h/c%0A=a"} {
		if _, err := c.Plan(uri.MustParse(bad), nil); fetch.KindOf(err) != fetch.ErrRefusedURL {
			t.Errorf("%s: got %v, want kind %s", bad, err, fetch.ErrRefusedURL)
		}
	}
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"ldap://h/o=x,c=US?cn?sub?(cn=a)?!bindname=x", "x500://h/c=CH/o=a+b=c?Lee,+CERN,+CH",
		"ldaps:///???(&(a=b)(!(c=%5c2a)))"}, Schemes(nil)...)
}

// FuzzFriendlyName checks that a name stays one value in one comparison.
func FuzzFriendlyName(f *testing.F) {
	f.Add("Ann Lee, CERN, CH")
	f.Add("a)(b=*,c")
	f.Fuzz(func(t *testing.T, s string) {
		base, filter, err := friendlyName(s)
		if err != nil {
			return
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(filter, "(|(cn~="), "))")
		cn, sn, ok := strings.Cut(inner, ")(sn~=")
		if !ok || cn != sn || strings.ContainsAny(cn, "()*\x00") {
			t.Fatalf("%q: got filter %q, want escaped special characters", s, filter)
		}
		for _, b := range base {
			if plain := strings.NewReplacer(`\\`, "", `\,`, "", `\+`, "", `\;`, "").Replace(b); strings.ContainsAny(plain, ",+;\r\n") {
				t.Fatalf("%q: got name %q, want escaped special characters", s, b)
			}
		}
	})
}

func loginOf(user string) fetch.Options {
	return fetch.Options{Login: fetch.Login{User: user, Password: "pw", Set: true}}
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Schemes(nil)...) }

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Schemes(nil)[0],
		"\x30\x17\x02\x01\x01\x60\x12\x02\x01\x03\x04\x05cn=me\x80\x06secret",
		"\x30\x2a\x02\x01\x02\x63\x25\x04\x00\x0a\x01\x00\x0a\x01\x00\x02\x01\x00\x02\x01\x00\x01\x01\x00\xa0\x0c\x87\x01a\xa4\x07\x04\x01b\x30\x02\x80\x00\x30\x03\x04\x01c",
		"\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x31\x04\x00\x04\x00",
		element4(0x30, "\x02\x01\x01"+element4(0x61, "\x0a\x01\x00\x04\x00\x04\x00"+strings.Repeat("\x8a\x00", 30000))),
	)
}

func TestTypeOfValues(t *testing.T) {
	for v, want := range map[string]string{
		"":                         "text/plain; charset=utf-8",
		"Genève\n":                 "text/plain; charset=utf-8",
		"Gen\xe8ve":                "text/plain",
		"\xff\xd8\xff\xe0\x00JFIF": "application/octet-stream",
	} {
		if got := guess(v); got != want {
			t.Errorf("%q: got %s, want %s", v, got, want)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	srv := ldaptest.NewServer(site(), &ldaptest.Options{Users: map[string]string{"cn=ann": "open sesame"}})
	defer srv.Close()
	login := fetch.Options{Login: fetch.Login{User: "cn=ann", Password: "open sesame", Set: true},
		Set: map[string][]string{"ldap.page": {"2"}}}
	fetchtest.Test(t, Schemes(nil)[0],
		fetchtest.Case{Name: "search", URI: srv.URL + "/o=site??sub", Live: true, Options: login, Type: fetch.ListingType},
		fetchtest.Case{Name: "value", URI: srv.URL + "/cn=c.txt,ou=names,o=site?data???x-value", Live: true, Options: login, Body: "c\n",
			End: fetch.EndDeclared},
		fetchtest.Case{Name: "nothing", URI: srv.URL + "/cn=zz,o=site", Live: true, Options: login, Err: fetch.ErrNotFound},
		fetchtest.Case{Name: "nobody", URI: srv.URL + "/o=site", Live: true, Err: fetch.ErrRefused},
	)
}
