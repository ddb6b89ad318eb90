package uri

import (
	"strings"
	"testing"
)

func TestNormalizeWithRules(t *testing.T) {
	web := &Rules{DefaultPort: 80, Hierarchical: true}
	mail := &Rules{Fold: FoldDomain}
	for _, c := range []struct {
		mode     Mode
		rules    *Rules
		in, want string
	}{
		{RFC3986, nil, "HTTP://U@H:/%7e/%2f", "http://U@h:/~/%2F"}, // an empty port stays if the scheme is unknown
		{RFC3986, web, "http://h:/?#", "http://h/?#"},
		{RFC3986, &Rules{DefaultPort: 70}, "gopher://h:70", "gopher://h/"}, // RFC 3986 §6.2.3, RFC 4266 §2.1; its selectors have no dot segments
		{RFC3986, &Rules{DefaultPort: 70}, "gopher://h/1/a/../b", "gopher://h/1/a/../b"},
		{RFC3986, web, "http://h:00080", "http://h/"},
		{RFC3986, web, "http://h:008080/", "http://h:8080/"},
		{RFC3986, web, "http://[FE80::A%25Eth0]/", "http://[fe80::a%25Eth0]/"}, // a zone is an interface's name
		{RFC3986, nil, "http://b@d:x y@h/[a]#b#c", "http://b%40d:x%20y@h/%5Ba%5D#b%23c"},
		{RFC3986, nil, "http://é/é", "http://%C3%A9/%C3%A9"},
		{RFC3986, nil, "x:/a/..//b", "x:/.//b"}, // D12
		{RFC3986, nil, "x:/.//b", "x:/.//b"},
		{RFC3986, nil, "../a/../%62", "../a/../b"}, // a reference keeps its dots
		{RFC3986, nil, "%61:b", "./a:b"},           // RFC 3986 §4.2
		{RFC3986, nil, "%2e%2E/a", "%2E%2E/a"},     // D11
		{RFC3986, mail, "mailto:A%40b@C.D,E@F%c3", "mailto:A%40b@c.d,E@f%C3"},
		{RFC3986, mail, "mailto:a/../b", "mailto:a/../b"}, // no hierarchy, no dot segments
		{RFC2141, nil, "URN:Foo:Bar%2c%61", "urn:foo:Bar%2C%61"},
		{RFC1738, nil, "http://h/%7e~%2B+%24", "http://h/%7E%7E%2B+$"}, // D21: the plus sign is left
		{RFC2396, nil, "http://h/%7e~%2a%24/%2e%2E/", "http://h/~~*%24/%2E%2E/"},
		{RFC1630, nil, "x:a/%2e/.%2e/%2e%2e.", "x:a/%2E/.%2E/..."},                                 // D14
		{RFC1630, nil, "http://h/\"%22#", "http://h/%22%22"},                                       // D17
		{RFC1630, nil, "http://h/a%2A*%21!%3B;%3A:%40@%3D=", "http://h/a%2A*%21!%3B;%3A:%40@%3D="}, // D13
	} {
		if got := c.mode.Normalize(MustParse(c.in), c.rules); got.String() != c.want {
			t.Errorf("%v: %s becomes %s, want %s", c.mode, c.in, got, c.want)
		}
	}
}

func TestRelativizeIsShortest(t *testing.T) {
	for _, c := range []struct {
		mode           Mode
		base, in, want string
	}{
		{RFC3986, "http://a/b/c/d?q", "http://a/b/c/d?q", ""},
		{RFC3986, "http://a/b/c/d?q#f", "http://a/b/c/d?q#g", "#g"},
		{RFC3986, "http://a/b/c/d?q", "http://a/b/c/d?r", "?r"},
		{RFC3986, "http://a/b/c/d?q", "http://a/b/c/d", "d"},
		{RFC3986, "http://a/b/c/d", "http://a/b/c/", "."},
		{RFC3986, "http://a/b/c/d", "http://a/b/", ".."},
		{RFC3986, "http://a/bb/cc/d", "http://a/bb/x", "../x"},
		{RFC3986, "http://a/b/c/d", "http://a/x", "/x"},
		{RFC3986, "http://a/b/c/d", "http://a/b/c/x:y", "./x:y"},
		{RFC3986, "http://a/b/c/d", "http://a/b/c//x", ".//x"},
		{RFC3986, "http://a/b", "http://c/d", "//c/d"},
		{RFC3986, "http://a/b", "ftp://c/d", "ftp://c/d"},
		{RFC3986, "http://a", "http://a/", "/"},
		{RFC3986, "http://a/b", "http://a", "//a"},
		{RFC3986, "x:/a/b", "x:/.//c", "/.//c"}, // D12
		{RFC3986, "news:1@h", "news:2@h", "2@h"},
		{RFC3986, "http://a/b/c", "../d", "/d"},
		{RFC2396, "http://a/b/c/d?q", "http://a/b/c/?y", "?y"},
		{RFC1630, "news:comp.x", "news:1@h", "1@h"},         // D10
		{RFC1630, "x://a/b/c//d/e", "x://a/b/c//f", "../f"}, // D3
	} {
		base, in := MustParse(c.base), MustParse(c.in)
		got := c.mode.Relativize(base, in)
		if c.mode.Resolve(base, got) != c.mode.Resolve(base, in) {
			t.Errorf("%v: %s does not resolve against %s to %s", c.mode, got, base, in)
		}
		if got.String() != c.want {
			t.Errorf("%v: from %s to %s is %q, want %q", c.mode, base, in, got, c.want)
		}
	}
}

func TestResolveMore(t *testing.T) {
	for _, c := range []struct {
		mode            Mode
		base, ref, want string
	}{
		{RFC1630, "http://./a/b", "../c", "http://./c"}, // a host is not an element
		{RFC1630, "http://../a", "./c", "http://../c"},
		{URL6, "http://./a/b", "c", "http://./a/c"},
		{URL6, "http://h/a/b", "http:c", "http://h/a/c"},
		{RFC1630, "http://h//a", "/g", "http:/g"}, // D2
		{RFC1630, "x:/a/b", "../..//c", "x:/..//c"},
		{RFC1630, "x:/a/b", "..//c", "x:/.//c"}, // D12
		{RFC2396, "x:a/b", "..//c", "x:/.//c"},
		{RFC2396, "http://h", "g", "http://h/g"},
		{RFC3986, "a/b", "./c:d", "a/c:d"},
		{RFC3986, "a", "./c:d", "./c:d"},            // RFC 3986 §4.2
		{RFC3986, "foo:a/b", "../c", "foo:/c"},      // §5.2.4 to the letter
		{URL6, "http://h//a/b", "/g", "http://h/g"}, // S3: a leading slash is an absolute path
		{RFC3986, "x:a/..", "g/../..//c", "x:/.//c"},
		{RFC3986Compat, "http://h/a/b", "HTTP:c", "http://h/a/c"},
		{RFC3986, "HTTP://h/a", "//g", "HTTP://g"},
		{Perl, "news:1@h", "x", "news:/x"}, // D10
		{RFC1808, "http://h/a;p?q#f", "?", "http://h/a;p?"},
	} {
		if got := c.mode.Resolve(MustParse(c.base), MustParse(c.ref)); got.String() != c.want {
			t.Errorf("%v: %s on %s is %s, want %s", c.mode, c.ref, c.base, got, c.want)
		}
	}
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		mode     Mode
		safe     Safe
		in, want string
	}{
		{RFC3986, SafeRFC3986, "http://h/~a_b/%7e%C3%A9é x", "http://h/~a_b/~%C3%A9%C3%A9%20x"},
		{RFC3986, SafeMail, "http://h/~a_b", "http://h/%7Ea%5Fb"},
		{RFC3986, SafeShell, "http://h/~a?x&y", "http://h/%7Ea?x&y"}, // reserved: never
		{RFC1630, SafeShell, "http://h/$a'(b)&c", "http://h/%24a%27%28b%29%26c"},
		{RFC1630, SafeRFC3986, "http://h/%24a%27", "http://h/$a'"},
		{RFC3986, SafePrint, "http://b%C3%BCcher/%7e%C3%A9%20%E2%80%AE%FF", "http://bücher/~é%20%E2%80%AE%FF"}, // RFC 3987 §4.1
		{RFC1630, SafePrint, "http://h/%E9%A0", "http://h/\xe9%A0"},
		{RFC3986, SafePrint, "HTTP://H/a/../%2e%2e/b", "HTTP://H/a/../%2E%2E/b"},
		{RFC3986, SafeMail, "http://a~b@[fe80::1%25e_0]:80/", "http://a%7Eb@[fe80::1%25e_0]:80/"},
	} {
		u := MustParse(c.in)
		got := c.mode.Encode(u, c.safe)
		if got.String() != c.want || !c.mode.Equal(u, got, nil) {
			t.Errorf("%v %v: %s is %s, want %s", c.mode, c.safe, u, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	got := strings.Join(Escaped("a%2Bb+c%20d+").Words(), "|")
	if got != "a+b|c d|" {
		t.Errorf("words are %s", got)
	}
	if e := JoinWords(RFC3986, "a+b", "c d", ""); e != "a%2Bb+c%20d+" {
		t.Errorf("joined: %s", e)
	}
}

func TestFindMore(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"std::vector foo:bar 10:30 C:/x \"a: b\" http:// file:", ""},
		{"<xsl:template> <b>http://h/a</b>", "http://h/a"},
		{"“http://h/a”, «http://h/b» http://h/c。", "http://h/a http://h/b http://h/c"},
		{"[http://h/a] (http://h/b(c)) 'http://h/d'", "http://h/a http://h/b(c) http://h/d"},
		{"<URL:foo:bar> URL:foo:bar <foo:bar>", "foo:bar foo:bar"},
		{"<URL:http://h/a", "http://h/a"},
		{">> <URL:http://h/a/\n>>  b>\n>> c", "http://h/a/b"},
		{"<URL: http://h/a/ b> <url: http://h/a/\n   b>", "http://h/a/b http://h/a/b"}, // neither blank belongs to the URI
		{"<http://h/a/\n> and then", "http://h/a/"},
		{"<http://h/a\u00a0b\u2028c> <URL:\u3000http://h/d> http://h/e\u00a0f", "http://h/abc http://h/d http://h/e"},
		{"http://h/% http://h/ok", "http://h/ok"},
		{"-http://h/a;ftp://h/b,c", "http://h/a ftp://h/b,c"},
		{"mailto:a@b.c.", "mailto:a@b.c"},
		{"<see http://h/a> <http://h/b and http://h/c> < http://h/d >", "http://h/a http://h/b http://h/c http://h/d"},
		{"[http://h/a](http://h/b) http://[::1]/c", "http://h/a http://h/b http://[::1]/c"}, // Markdown
		{"http://h/a?b=http://h/c", "http://h/a?b=http://h/c"},
		{"wais://h/db/GIF/1/2=db;3=0%201%20docs/a.gif;7=%00;", "wais://h/db/GIF/1/2=db;3=0%201%20docs/a.gif;7=%00;"},
		// as libwww, Lynx and we write it
		{"(WAIS://h:1/db/TEXT/3=a/b;; see wais://h/db/TEXT/3=a/b;.) wais://h/db;",
			"WAIS://h:1/db/TEXT/3=a/b; wais://h/db/TEXT/3=a/b; wais://h/db"},
		{"wais://h/db?3=a; http://h/3=a; wais://h/db/TEXT/x=a;", "wais://h/db?3=a http://h/3=a wais://h/db/TEXT/x=a"},
		{"http://h/\xe9t\xe9", "http://h/\xe9t\xe9"}, // Latin 1
	} {
		var got []string
		for f := range Find(c.in) {
			got = append(got, f.URI.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %q, want %q", c.in, s, c.want)
		}
	}
	n := 0
	for range (Finder{Known: func(s string) bool { return s == "foo" }}).Find("Foo:bar news:x bar:y") {
		n++
	}
	if n != 2 {
		t.Errorf("got %d URIs of a known scheme, want 1", n)
	}
}
