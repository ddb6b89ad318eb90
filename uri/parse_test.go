package uri

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		in   string
		pos  int
		rule string
	}{
		{"http://h/a%4", 10, ruleEscape}, // D19
		{"http://h/?%", 10, ruleEscape},
		{"http://h/#%g0", 10, ruleEscape},
		{"http://u%:p@h/", 8, ruleEscape},
		{"x:%", 2, ruleEscape},
		{"http://[fe80::1%eth0]/", 15, ruleZone}, // RFC 6874 §2: the zone comes after "%25"
		{"http://[fe80::1%1]/", 15, ruleZone},
		{"http://u@[fe80::1%eth0]:80/", 17, ruleZone},
		{"http://[fe80::1%de0]/", 15, ruleZone}, // an escape by chance
		{"http://[fe80::x%eth0]/", 15, ruleEscape},
		{"http://h/a\x00", 10, ruleControl},
		{"http://h/\x7f", 9, ruleControl},
		{"http://h\r\n/", 8, ruleControl},
		{"\t", 0, ruleControl},
		{":foo", 0, ruleScheme},
		{"ht tp://h/", 2, ruleScheme},
		{"1http://h/", 0, ruleScheme},
		{"http://h\\x@y/", 8, ruleSlash},
		{"http://a b/", 7, ruleHost},
		{"http://a:b:1/", 7, ruleHost},
		{"http://<h>/", 7, ruleHost},
		{"http://[::1]x/", 12, ruleHost},
		{"http://[::1/", 7, ruleLiteral},
		{"http://[]/", 7, ruleLiteral},
		{"http://[1.2.3.4]/", 7, ruleLiteral},
		{"http://[::1%2541%]/", 16, ruleEscape},
		{"http://[::1%25]/", 7, ruleLiteral},
		{"http://[v1]/", 7, ruleLiteral},
		{"http://[vg.x]/", 7, ruleLiteral},
		{"http://h:65536/", 9, rulePort},
		{"http://h:8x/", 9, rulePort},
		{"http://[::1]:99999/", 13, rulePort},
		{"//h:00000000000000000000000000000065536", 4, rulePort},
	} {
		_, err := Parse(c.in)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Pos != c.pos || e.Rule != c.rule {
			t.Errorf("%q: got %v, want %s at %d", c.in, err, c.rule, c.pos)
		}
	}
}

func TestParseKeeps(t *testing.T) {
	for _, s := range []string{
		"http://h/a b<c>\"{d}|\\^`é\xff", // escaped by Normalize only
		"http://h/?a b\\#c d#e",
		"1a:b", "sch_me:x", "+s:x", "@a:b", // first segments with a colon: corpus rows
		"http://user@site:pw@h/", // the last "@" counts
		"http://h_1.a~b!/", "http://[v7.a:b]/", "http://[::ffff:1.2.3.4]:/", "http://[fe80::1%25a-b]/",
		"http://h:000000080/", "x:", "x:?", "///", "?", "#", "",
	} {
		u, err := Parse(s)
		if err != nil || u.String() != s {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestErrorHidesTheInput(t *testing.T) {
	_, err := Parse("ftp://user:hunter2@h:x/")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got error %q, want no part of the URI in it", err)
	}
}

func TestParseTooLong(t *testing.T) {
	if _, err := Parse(strings.Repeat("a", MaxLen)); err != nil {
		t.Errorf("a URI of MaxLen bytes: got %v, want no error", err)
	}
	if _, err := Parse(strings.Repeat("a", MaxLen+1)); err == nil {
		t.Error("a URI of more than MaxLen bytes: got no error, want one")
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	for _, s := range samples() {
		if n := testing.AllocsPerRun(10, func() {
			u, err := Parse(s)
			if err != nil || u.Scheme() == "" {
				t.Error(s, err)
			}
		}); n != 0 {
			t.Errorf("%s: got %v allocations, want none", s, n)
		}
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		in string
		ok bool
	}{
		{"http://info.cern.ch/a/b?x+y#z", true},
		{"http://h/a+b;c:d@e!*\"'(),$-_.&%7E", true},
		{"http://h/~a", false}, {"http://h/a=b", false}, {"http://h/é", false}, // D16, contradiction 5
		{"gopher://h/00/About Gopher", true}, {"http://h/x?a b#c d", true}, // "extra" has the space (D16)
		{"url:http://h/", true}, {"url:http://h/~a", false},
		{"http://h/x?+a", false}, {"http://h/x#a+b", false}, {"http://h/x#a/b", false},
		{"mailto:a@b", true}, {"mailto:@b", false}, {"mid:a", false}, {"http:///x", false}, {"news:*", true}, {"news:", false},
		{"http://[::1]/", false}, {"../a", true}, {"x#", true}, // D17
	} {
		if _, err := RFC1630Strict.Parse(c.in); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.in, err)
		}
	}
}

// TestPrefixed: url:X and <URL:X> are X in every mode, and errors are at their place in the whole string.
func TestPrefixed(t *testing.T) {
	for _, c := range []struct {
		in, want string
		pos      int // of the error
	}{
		{"URL:http://h/a", "http://h/a", 0},
		{"url:ftp://h/a?b#c", "ftp://h/a?b#c", 0},
		{"URL: http://h/a", "http://h/a", 0},
		{"uRl:URL:mailto:a@h", "mailto:a@h", 0},
		{"url:../g", "../g", 0},
		{"url:", "", 0},
		{"<URL:http://h/a>", "http://h/a", 0},
		{"<url: http://h/a\n  b>", "http://h/ab", 0},
		{"url", "url", 0},
		{"url/a:b", "url/a:b", 0},
		{"urls:x", "urls:x", 0},
		{"URN:url:x", "URN:url:x", 0},
		{"URI:http://h/", "URI:http://h/", 0},
		{"./url:x", "./url:x", 0},
		{"url:http://h/%", "", 13},
		{"<URL:http://h/%>", "", 14},
		{"<URL:http://h/>x", "", 0},
		{"<URL:a/b>", "a/b", 0},
		{"<URL:http://h/> <URL:http://h/>", "", 0},
	} {
		for _, m := range Modes() {
			u, err := m.Parse(c.in)
			if e, ok := errors.AsType[*Error](err); u.String() != c.want || ok && e.Pos != c.pos || !ok && c.pos != 0 {
				t.Errorf("%v: %q: got %q, %v; want %q, or an error at byte %d", m, c.in, u, err, c.want, c.pos)
			}
		}
	}
}

func TestSegments(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string
	}{
		{"x:", ""}, {"x://h/", "[]"}, {"x://h/a/b", "[a][b]"}, {"x://h//a%2Fb/", "[][a%2Fb][]"}, {"x:a/b", "[a][b]"},
	} {
		got := ""
		for s := range MustParse(c.in).Segments() {
			got += "[" + string(s) + "]"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestHostPort(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://h/", "h:80"}, {"http://h:/", "h:80"}, {"http://h:0/", "h:0"}, {"http://H.example:8080/", "H.example:8080"},
		{"http://[::1]/", "[::1]:80"}, {"http://[fe80::1%25eth0]:1/", "[fe80::1%eth0]:1"}, // RFC 6874
		{"http://bücher.example/", "xn--bcher-kva.example:80"},
		{"http://b%C3%BCcher.example/", "xn--bcher-kva.example:80"}, // RFC 3986 §3.2.2
		{"http://a_b.bücher.example/", "a_b.xn--bcher-kva.example:80"},
		{"http://-x-.bücher/", "-x-.xn--bcher-kva:80"},
		{"http:///x", ""}, {"http:x", ""}, {"http://a%2Fb/", ""}, {"http://a%0D%0Ab/", ""}, {"http://a%00/", ""}, {"http://a%40b/", ""},
		{"http://a℀b/", ""},             // UTS 46 maps U+2100 to "a/c"
		{"http://h／x@evil/", "evil:80"}, // U+FF0F in the userinfo is data
		{"http://h／x/", ""},
	} {
		got, err := MustParse(c.in).HostPort(80)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.in, got, err, c.want)
		}
	}
}

func TestGrammar(t *testing.T) {
	for _, good := range []string{
		"", "http://u:p@[::1]:80/a;b=c/(d)'!*,$&+?e/f?g=h:i@j#k/l?m", "mailto:a%20b@c", "a/b:c", "./a:b", "//h/x", "urn:a:b:c",
		"http://h/%5B%7C%23",
		"data:,x", "wais://h/db/TEXT/3=a;", "?q:r", "#a:b", "url:http://h/",
	} {
		if err := Grammar(good); err != nil {
			t.Errorf("%q: got %v, want none", good, err)
		}
	}
	for _, c := range []struct {
		in  string
		pos int
	}{
		{"http://h/a b", 10}, {"http://h/?a b", 11}, {"http://h/#a b", 11}, {"mailto:a b@c", 8}, {"a b", 1},
		{"http://h/a|b", 10}, {`http://h/"`, 9}, {"http://h/<", 9}, {"http://h/>", 9}, {`http://h/\`, 9}, {"http://h/^", 9}, {"http://h/`", 9},
		{"http://h/{}", 9},
		{"http://h/\u00e9", 9}, {"http://\u00e9/", 7}, {"http://h/\xff", 9},
		{"http://h/[a]", 9}, {"http://[::1]/]", 13}, {"http://u[@h/", 8}, {"http://h/#a#b", 11}, {"http://a@b@c/", 8}, {"1a:b/c", 2},
		{"<URL:http://h/>", 0}, {"http://h/%", 9},
	} {
		err := Grammar(c.in)
		if err == nil || !strings.HasSuffix(err.Error(), " at byte "+strconv.Itoa(c.pos)) {
			t.Errorf("%q: got %v, want an error at byte %d", c.in, err, c.pos)
		}
	}
}
