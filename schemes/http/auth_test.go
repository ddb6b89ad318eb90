package http

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
)

func TestDigestVectors(t *testing.T) {
	rfc7616 := `Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ` +
		`opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=`
	for _, c := range []struct{ challenge, password, cnonce, response string }{
		// RFC 7616 section 3.9.1
		{rfc7616 + "MD5", "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "8ca523f5e9506fed4657c9700eebdbec"},
		{rfc7616 + "SHA-256", "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
			"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"},
		{`Digest Realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"`, "CircleOfLife", "",
			"1949323746fe6a43ef61f9606e7febea"}, // RFC 2069 section 2.4, erratum 749
		{`Digest realm="testrealm@host.com",qop="auth,auth-int",nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"`, "Circle Of Life", "0a4f113b",
			"6629fae49393a05397450978507c4ef1"}, // RFC 2617 section 3.5
		{`Digest realm="r", nonce="n", qop="auth-int"`, "p", "c", "9834efdafb5ae6d6b404dca1218d6696"},
	} {
		list := challenges([]string{c.challenge})
		if len(list) != 1 {
			t.Fatalf("%q: got %d challenges, want 1", c.challenge, len(list))
		}
		got := digest(list[0], fetch.Login{User: "Mufasa", Password: c.password}, "GET", "/dir/index.html", c.cnonce, 1)
		if !strings.Contains(got, `response="`+c.response+`"`) {
			t.Errorf("%s\nanswered by %s\nwant %s", c.challenge, got, c.response)
		}
	}
}

func TestChallenges(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`Basic realm="x"`, "basic realm=x"},
		{`basic REALM=x, charset="UTF-8"`, "basic charset=UTF-8 realm=x"},
		{`Basic realm="a \"quoted\", one", Digest realm="b", nonce="n=,"`, `basic realm=a "quoted", one|digest nonce=n=, realm=b`},
		{`Negotiate, NTLM TlRMTVNT==, Basic realm=""`, "negotiate|ntlm|basic realm="},
		// RFC 9110 section 11.6.1
		{`Newauth realm="apps", type=1, title="Login", Basic realm="simple"`, "newauth realm=apps title=Login type=1|basic realm=simple"},
		{`Basic`, "basic"},
		{`, ,Basic realm=x,`, "basic realm=x"},
		{`realm="x"`, ""},
		{`Basic realm="x`, "basic"},
		{`"`, ""},
	} {
		var got []string
		for _, ch := range challenges([]string{c.in}) {
			s := ch.scheme
			for _, k := range []string{"charset", "nonce", "realm", "title", "type"} {
				if v, ok := ch.params[k]; ok {
					s += " " + k + "=" + v
				}
			}
			got = append(got, s)
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s: %q, want %q", c.in, g, c.want)
		}
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Basic realm="a \"q\"", Digest nonce=x, NTLM abc==`)
	f.Fuzz(func(t *testing.T, s string) {
		list := challenges([]string{s})
		if len(list) > maxChallenges {
			t.Errorf("got %d challenges, want at most %d", len(list), maxChallenges)
		}
		for _, c := range list {
			if !isToken(c.scheme) {
				t.Errorf("got the scheme %q, want a token", c.scheme)
			}
			v := digest(c, fetch.Login{User: "u\r\n"}, "GET", "/", "c", 1)
			if strings.ContainsAny(v, "\r\n") && !strings.ContainsAny(s, "\r\n") && !strings.Contains(v, "u\r\n") {
				t.Errorf("got %q, want one line", v)
			}
		}
	})
}
