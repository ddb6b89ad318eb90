package uri

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAccessors(t *testing.T) {
	u := MustParse("HTTP://us%40er:p%3Aw@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag")
	user, pass, has := u.User()
	for _, c := range []struct{ got, want string }{
		{u.Scheme(), "http"},
		{user, "us@er"}, {pass, "p:w"},
		{string(u.Host()), "[fe80::1%25eth0]"}, {u.Hostname(), "fe80::1%eth0"}, {u.Port(), "8080"},
		{string(u.Path()), "/a/b%2Fc"},
		{u.WithoutFragment().String(), "HTTP://us%40er:p%3Aw@[fe80::1%25eth0]:8080/a/b%2Fc?q=1"},
		{u.WithFragment("x#y").String(), "HTTP://us%40er:p%3Aw@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#x%23y"},
		{u.WithoutUserinfo().String(), "HTTP://[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
		{u.WithoutZone().String(), "HTTP://us%40er:p%3Aw@[fe80::1]:8080/a/b%2Fc?q=1#frag"},
		{u.WithoutPassword().String(), "HTTP://us%40er@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
		{u.Redacted(nil), "HTTP://us%40er:***@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
		{u.Redacted(&Rules{SecretUser: true}), "HTTP://***@[fe80::1%25eth0]:8080/a/b%2Fc?q=1#frag"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if !has {
		t.Error("User returns no password, want one")
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("MustParse of an invalid URI does not panic")
		}
	}()
	MustParse("http://h:x/")
}

func TestVoidAndAbsentDiffer(t *testing.T) {
	u := MustParse("x://@:?#")
	_, info := u.Userinfo()
	_, query := u.Query()
	_, fragment := u.Fragment()
	if !info || !query || !fragment || !u.HasPort() || u.Port() != "" || u.PortNumber(7) != 7 || u.Host() != "" {
		t.Errorf("%q: empty components are reported as missing", u)
	}
	if o := MustParse("news:a/b?c#d").Opaque(); o != "a/b?c" {
		t.Errorf("opaque part %q", o)
	}
	if u := MustParse("a#b").WithoutFragment(); u != MustParse("a") {
		t.Errorf("without its fragment: %q", u)
	}
	for _, s := range []string{"//[::1]:1/%25", "//a%25b/", "a:[::1%25lo]"} {
		if u, err := Parse(s); err == nil && u.WithoutZone() != u {
			t.Errorf("%q without its zone: %q", s, u.WithoutZone())
		}
	}
	if u := MustParse("//h").WithoutUserinfo().WithoutPassword().WithoutZone(); u != MustParse("//h") {
		t.Errorf("without what it has not: %q", u)
	}
}

func TestFromHost(t *testing.T) {
	for _, c := range []struct {
		in, want string
		likely   bool
	}{
		{"xxx.yyy.zz.edu:/pub.aa.bb.cc", "ftp://xxx.yyy.zz.edu/pub.aa.bb.cc", true}, // of the draft
		{"192.0.2.1:/pub", "ftp://192.0.2.1/pub", true},
		{"notes.txt:/a?b#c", "ftp://notes.txt/a?b#c", true},
		{"www.example.org/a?b=c", "http://www.example.org/a?b=c", true},
		{"//h.example", "http://h.example/", true},
		{"localhost:8080", "http://localhost:8080/", true},
		{"box:8080/x y", "http://box:8080/x y", true},
		{"192.0.2.1", "http://192.0.2.1/", true},
		{"[2001:db8::1]:80/", "http://[2001:db8::1]:80/", true},
		{"bücher.example/", "http://bücher.example/", true},
		{"notes.txt", "http://notes.txt/", false},
	} {
		if got, likely := FromHost(c.in); got.String() != c.want || likely != c.likely {
			t.Errorf("%q: got %q, %v, want %q, %v", c.in, got, likely, c.want, c.likely)
		}
	}
	for _, in := range []string{
		"a/b.txt", "owls", "box:/x", "box:", "C:/x", "javascript:alert(1)", "tel:123456", "http://h.example/",
		"u:p@h.example/", "a=b.example", "a b.example", "h.example/%%", "..", "",
	} {
		if got, likely := FromHost(in); !got.IsZero() || likely {
			t.Errorf("%q: got %q, %v, want no host", in, got, likely)
		}
	}
}

func TestASCII(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://h/%7ea?b#c", "http://h/%7ea?b#c"},
		{"http://h/мир?q=мир#мир", "http://h/%D0%BC%D0%B8%D1%80?q=%D0%BC%D0%B8%D1%80#%D0%BC%D0%B8%D1%80"},
		{"http://h/\xcd\xc9\xd2", "http://h/%CD%C9%D2"}, // KOI8-R
		{"http://h/a b\"<>\\^`{|}%41[1]", "http://h/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D%41[1]"},
		{"http://ü:é@münchen.example:80/", "http://%C3%BC:%C3%A9@xn--mnchen-3ya.example:80/"},
		{"http://m%C3%BCnchen.example/", "http://xn--mnchen-3ya.example/"},
		{"http://MÜNCHEN.example/", "http://xn--mnchen-3ya.example/"},
		{"http://%68/", "http://h/"},
		{"http://a%2Fb/", "http://a%2Fb/"},                         // no name, so it stays
		{"http://m%FCnchen.example/", "http://m%FCnchen.example/"}, // Latin-1
		{"http://m\xfcnchen.example/", "http://m%FCnchen.example/"},
		{"http://a\u202eb/", "http://a%E2%80%AEb/"},
		{"http://[fe80::1%25eth0]/é", "http://[fe80::1%25eth0]/%C3%A9"},
		{"news:é@h", "news:%C3%A9@h"},
		{"é/b?c", "%C3%A9/b?c"},
		{"//é/b", "//xn--9ca/b"},
		{"", ""},
	} {
		got := MustParse(c.in).ASCII()
		if got.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
		if again := got.ASCII(); again != got {
			t.Errorf("%q: got %q, again %q, want the same", c.in, got, again)
		}
	}
}

// The names that browsers refuse, in both forms.
func TestHostsWithoutASCII(t *testing.T) {
	for _, name := range []string{
		"m\xfcnchen.example", "\xed\xa0\x80", "\ufffd.example", "a\u202eb.example", "a℀b.example", "a／b", "\u200b", "\u00ad", "ü..b", "a\u200db",
		"1א.example", "אa.example", "xn--a.ü", "\u0378.example", "\u0301x.example", "ü b", "ü%b", strings.Repeat("ü", 64),
		strings.Repeat("ü.", 128), "ü\x00", "ü\r\n",
	} {
		for _, in := range []string{name, EscapeBut(name, "")} {
			u, err := Parse("http://" + in + "/")
			if err != nil {
				continue
			}
			for _, u := range []URI{u, u.ASCII()} {
				if got, err := u.HostPort(80); err == nil {
					t.Errorf("%+q: got %q, want an error", u, got)
				}
				if h := u.Hostname(); ascii(h) && dialable(h) {
					t.Errorf("%+q: got the host %q, want one that cannot be dialed", u, h)
				}
			}
		}
	}
	for name, want := range map[string]string{
		"faß.example": "xn--fa-hia.example", "BÜCHER.example": "xn--bcher-kva.example", "ü.": "xn--tda.", "ü。example": "xn--tda.example", "ａ.example": "a.example",
		"a_b.ü": "a_b.xn--tda", "☺.example": "xn--74h.example", "１２７.0.0.1": "127.0.0.1", "xn--tda.é": "xn--tda.xn--9ca",
	} {
		for _, in := range []string{name, EscapeBut(name, "")} {
			if got, err := MustParse("http://" + in + "/").HostPort(80); got != want+":80" || err != nil {
				t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
			}
		}
	}
}

func TestResolver(t *testing.T) {
	koi := func(s string) string { return strings.NewReplacer("м", "%CD", "и", "%C9", "р", "%D2").Replace(s) }
	for _, c := range []struct{ base, ref, want string }{
		{"http://h/d/x", "мир?мир#мир", "http://h/d/%D0%BC%D0%B8%D1%80?%CD%C9%D2#%D0%BC%D0%B8%D1%80"},
		{"http://h/d/x", "?мир", "http://h/d/x?%CD%C9%D2"},
		{"http://h/d/x?%41", "#мир", "http://h/d/x?%41#%D0%BC%D0%B8%D1%80"},
		{"http://h/d/x", "gopher://h/7x?мир", "gopher://h/7x?%D0%BC%D0%B8%D1%80"},
		{"gopher://h/1", "?мир", "gopher://h/1?%D0%BC%D0%B8%D1%80"},
		{"gopher://h/1", "https://мир/?мир", "https://xn--h1ahn/?%CD%C9%D2"},
		{"http://h/d/x", "mailto:мир@h?subject=мир", "mailto:%D0%BC%D0%B8%D1%80@h?subject=%D0%BC%D0%B8%D1%80"},
		{"http://h/d/x", " \n\f m\r\n\tn ", "http://h/d/mn"},
		{"http://h/d/x", `..\i\m.gif?\#\`, "http://h/i/m.gif?%5C#%5C"},
		{"http://h/d/x", `\\i\m`, "http://i/m"},
		{"gopher://h/1", `FTP:\\i\m`, "FTP://i/m"},
		{"gopher://h/1", `0\m`, "gopher://h/0%5Cm"},
		{"http://h/d/x", "HTTP:m", "http://h/d/m"},
		{"mid:x/y", "mid:z", "mid:z"},
	} {
		got, err := Resolver{MustParse(c.base), koi}.Resolve(c.ref)
		if got.String() != c.want || err != nil {
			t.Errorf("%s in %s: got %s, %v, want %s", c.ref, c.base, got, err, c.want)
		}
	}
	if _, err := (Resolver{}).Resolve("100%"); err == nil {
		t.Error("100%: got no error, want one")
	}
}

// JSON cannot hold bytes that are not UTF-8.
func TestMarshalBytes(t *testing.T) {
	for _, s := range []string{"http://h/caf\xe9", "gopher://h/0\x93\xfa\x96{", "ftp://h/мир"} {
		b, err := json.Marshal(MustParse(s))
		if err != nil {
			t.Fatal(err)
		}
		var got URI
		if err := json.Unmarshal(b, &got); err != nil || got.Normalize() != MustParse(s).Normalize() {
			t.Errorf("%q: got %q, %v, want an equal URI", s, got, err)
		}
	}
}
