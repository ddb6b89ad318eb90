package uri

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	for _, c := range []struct {
		b    Builder
		want string // a URI, or the rule
	}{
		{Build("http").Host("h.example"), "http://h.example"},
		{Build("http").Host("h").Port(8080).Path("/a b").Query("x#y").Fragment("z#"), "http://h:8080/a%20b?x%23y#z%23"},
		{Build("http").Query("q").Path("/50%").Host("h"), "http://h/50%25?q"}, // in any order
		{Build("http").Path("/a%2fb").Host("h"), "http://h/a%2fb"},            // an escape stays as it is
		{Build("ftp").Host("h").Segments("pub", "a/b;c", "?#%"), "ftp://h/pub/a%2Fb;c/%3F%23%25"},
		{Build("ftp").Host("h").Segments("pub", ""), "ftp://h/pub/"},
		{Build("ftp").Host("h").Segments("", "a"), "ftp://h//a"},
		{Build("ftp").Login("me@work", "a:b/c").Host("h"), "ftp://me%40work:a%3Ab%2Fc@h"},
		{Build("ftp").User("a:b").Host("h"), "ftp://a%3Ab@h"}, // not a password
		{Build("file").Host("").Path("/etc/passwd"), "file:///etc/passwd"},
		{Build("file").Host("").Path("//server/share"), "file:////server/share"},
		{Build("mailto").Path("a@b?c"), "mailto:a@b%3Fc"},
		{Build("").Path("a/b:c"), "a/b:c"},
		{Build("").Host("h").Path("/x"), "//h/x"},
		{Build("http").Host("::1").Port(0), "http://[::1]:0"},
		{Build("http").Host("[2001:DB8::7]"), "http://[2001:db8::7]"},
		{Build("http").Host("fe80::1%eth 0"), "http://[fe80::1%25eth%200]"}, // RFC 6874 §2
		{Build("http").Host("[v1.fe:x]"), "http://[v1.fe:x]"},
		{Build("http").Host("bücher.example"), "http://b%C3%BCcher.example"},

		{Build("1http").Host("h"), ruleScheme},
		{Build("ht:tp").Host("h"), ruleScheme},
		{Build("URL").Path("http://h/"), ruleScheme}, // D7
		{Build("http").Host("h:80"), ruleLiteral},
		{Build("http").Host("good.example@evil.example"), ruleHost},
		{Build("http").Host("h/x"), ruleHost},
		{Build("http").Host("h?x"), ruleHost},
		{Build("http").Host("h#x"), ruleHost},
		{Build("http").Host("h\\x"), ruleHost},
		{Build("http").Host("h\r\nx"), ruleHost},
		{Build("http").Host("a%2fb"), ruleHost},
		{Build("http").Host("a\u2100b"), ruleHost}, // a/c for resolvers
		{Build("http").Host("[h]"), ruleLiteral},
		{Build("http").Host("[::1"), ruleLiteral},
		{Build("http").Host("1::2::3"), ruleLiteral},
		{Build("http").Host("h").Port(65536), rulePort},
		{Build("http").Host("h").Port(-1), rulePort},
		{Build("http").Host("h").Path("a"), ruleRooted}, // http://ha
		{Build("http").Host("h").Path("@evil.example/"), ruleRooted},
		{Build("http").Host("h").Port(8).Path("0"), ruleRooted}, // http://h:80
		{Build("http").Path("//h/x"), ruleSlashes},
		{Build("").Path("//h/x"), ruleSlashes},
		{Build("x").Segments("", "h"), ruleSlashes},
		{Build("").Path("javascript:alert()"), ruleColon},
		{Build("http").Port(80), ruleNoHost},
		{Build("http").User("me"), ruleNoHost},
		{Build("http").Host("h").Segments("a", "..", "b"), ruleDots},
		{Build("http").Host("h").Segments("."), ruleDots},
		{Build("x").Path(Escaped(strings.Repeat("a", MaxLen))), ruleLength},
	} {
		u, err := c.b.URI()
		if e, ok := errors.AsType[*Error](err); ok {
			if e.Rule != c.want {
				t.Errorf("got %v, want %.100s", err, c.want)
			}
			continue
		}
		if err != nil || u.String() != c.want {
			t.Errorf("got %.100s, %v, want %s", u, err, c.want)
		}
	}
}

func TestEdit(t *testing.T) {
	u := MustParse("http://me:secret@h:80/a%2Fb?q#f")
	for _, c := range []struct {
		b    Builder
		want string
	}{
		{u.Edit(), u.String()},
		{u.Edit().Host("other.example"), "http://me:secret@other.example:80/a%2Fb?q#f"},
		{u.Edit().NoUser().NoPort().NoQuery().NoFragment(), "http://h/a%2Fb"},
		{u.Edit().Scheme("https").Port(443).Path("/"), "https://me:secret@h:443/?q#f"},
		{u.Edit().Query(""), "http://me:secret@h:80/a%2Fb?#f"},
		{MustParse("HTTP://h:").Edit().Fragment(""), "HTTP://h:#"},
		{MustParse("mailto:a@b").Edit().Query("subject=x"), "mailto:a@b?subject=x"},
	} {
		if got, err := c.b.URI(); err != nil || got.String() != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
	b := u.Edit() // a template: what is made of it does not change it
	b.Path("/x").Query("y")
	if got, err := b.URI(); err != nil || got != u {
		t.Errorf("got %s, %v, want %s", got, err, u)
	}
}

func TestValues(t *testing.T) {
	type object struct {
		At, None URI
		By       map[URI]int
	}
	in := object{MustParse("ftp://me:secret@h/a%2fb"), URI{}, map[URI]int{MustParse("x:y"): 1}}
	text, err := json.Marshal(in)
	if want := `{"At":"ftp://me:secret@h/a%2fb","None":"","By":{"x:y":1}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	var out object
	if err := json.Unmarshal(text, &out); err != nil || out.At != in.At || !out.None.IsZero() || out.By[MustParse("x:y")] != 1 {
		t.Errorf("got %+v, %v, want %+v", out, err, in)
	}
	if err := json.Unmarshal([]byte(`{"At":"http://h/%"}`), &out); err == nil || out.At != in.At {
		t.Errorf("got %v, %v, want an error and the value before", out.At, err)
	}

	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var u URI
	fs.Var(&u, "base", "")
	if err := fs.Parse([]string{"-base", "http://h/"}); err != nil || u.String() != "http://h/" {
		t.Errorf("got %s, %v, want http://h/", u, err)
	}
	if err := fs.Parse([]string{"-base", "http://h:x/"}); err == nil || u.String() != "http://h/" {
		t.Errorf("got %s, %v, want an error and http://h/", u, err)
	}
}

// TestLogHidesSecrets: promise 7 also holds for programs that log URIs, at any depth.
func TestLogHidesSecrets(t *testing.T) {
	for _, format := range []func(io.Writer) slog.Handler{
		func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
	} {
		var b bytes.Buffer
		l := slog.New(format(&b)).With("base", MustParse("snmp://community@h1/"))
		l.Info("get", "uri", MustParse("ftp://me:secret@h2/"), slog.Group("g", "next", MustParse("http://:secret@h3/")))
		got := b.String()
		if strings.Contains(got, "secret") || strings.Contains(got, "community") || strings.Count(got, "://***@h") != 3 {
			t.Errorf("got %s, want three URIs without user and password", got)
		}
	}
}

func TestOctetsAndText(t *testing.T) {
	for _, c := range []struct {
		mode        Mode
		text, bytes string
		ok          bool
	}{
		{RFC3986, "é€", "é€", true},
		{RFC3986Scheme, "é", "é", true},
		{RFC1630, "caf\u00e9", "caf\xe9", true}, // D20
		{RFC2396, "\u00ff", "\xff", true},
		{RFC1738, "€", "", false}, // not in ISO Latin 1
	} {
		got, ok := c.mode.Octets(c.text)
		if got != c.bytes || ok != c.ok {
			t.Errorf("%v: Octets(%q): got %q, %v, want %q, %v", c.mode, c.text, got, ok, c.bytes, c.ok)
		}
		if back := c.mode.Text(got); ok && back != c.text {
			t.Errorf("%v: Text(%q): got %q, want %q", c.mode, got, back, c.text)
		}
	}
}

func TestEscapeMore(t *testing.T) {
	for _, c := range []struct {
		context  Context
		mode     Mode
		in, want string
	}{
		{Segment, RFC3986, "a=b;c:d@e&f+g", "a=b;c:d@e&f+g"}, // pchar
		{Segment, RFC1630, "a=b", "a%3Db"},                   // "=" is nowhere in the drafts
		{Segment, RFC3986, "[x]|^", "%5Bx%5D%7C%5E"},
		{FirstSegment, RFC3986, "a", "a"},
		{FirstSegment, RFC3986, "a:b/c", "./a:b%2Fc"},
		{QueryText, RFC1630, "a/b?c", "a%2Fb%3Fc"},
		{FragmentText, RFC1630, "a+b", "a%2Bb"},
		{SearchWords, RFC3986, "a&b=c;d/e?f", "a%26b%3Dc%3Bd%2Fe%3Ff"},
		{User, RFC3986, "a:b@c/d?e#f%", "a%3Ab%40c%2Fd%3Fe%23f%25"},
		{FTPSegment, RFC1738, "a/b;c d", "a%2Fb%3Bc%20d"},
		{GopherSelector, RFC3986, "7/q?x", "7/q%3Fx"},
		{Mailto, RFC3986, "a,b?c/d&e=f@g", "a%2Cb%3Fc%2Fd%26e%3Df@g"}, // RFC 6068 §2
		{Mid, RFC2392, "a/b?c@d", "a%2Fb%3Fc@d"},
		{Password, RFC3986, "p:w@d/?#%+ ", "p%3Aw%40d%2F%3F%23%25+%20"},
		{CID, RFC2392, "foo4%foo1@bar.net", "foo4%25foo1@bar.net"}, // the example of RFC 2392 §2
		{CID, RFC3986, "a/b <c>", "a%2Fb%20%3Cc%3E"},
		{GopherPlus, RFC3986, "+\t1\r\n+-1\r\na b?\r\n.\r\n", "+%091%0D%0A+-1%0D%0Aa%20b%3F%0D%0A.%0D%0A"},
		{GopherPlus, RFC1738, "+application/PostScript Es_ES", "+application/PostScript%20Es_ES"},
		{ProsperoName, RFC3986, "/pros/it's;v=1?x+\x00", "/pros/it%27s%3Bv%3D1%3Fx%2B%00"},
		{AllButUnreserved, RFC3986, "aZ09-._~ !$&'()*+,;=:@/?#[]%\u00e9",
			"aZ09-._~%20%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%25%C3%A9"},
	} {
		if got := c.context.Escape(c.mode, c.in); string(got) != c.want {
			t.Errorf("%v in %v: %q: got %q, want %q", c.context, c.mode, c.in, got, c.want)
		}
	}
}

// TestUnescapeMore: a plus sign is a blank only between search words.
func TestUnescapeMore(t *testing.T) {
	for _, c := range Contexts() {
		want := "a+b c/%\r\n"
		if c == SearchWords {
			want = "a b c/%\r\n"
		}
		if got, err := c.Unescape("a+b%20c%2F%25%0D%0A"); err != nil || got != want {
			t.Errorf("%v: got %q, %v, want %q", c, got, err, want)
		}
	}
}

func TestUnescapeRefusesBadEscapes(t *testing.T) {
	for _, s := range []Escaped{"%", "a%4", "%zz", "%%41"} {
		if got, err := Segment.Unescape(s); err == nil {
			t.Errorf("%q is %q", s, got)
		}
	}
	if got := Escaped("50%_%41").Decode(); got != "50%_A" { // Decode is for what Parse has seen
		t.Errorf("decoded %q", got)
	}
}

// TestEscapeBut: only safe characters stay, and decoding restores the text.
func TestEscapeBut(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	for _, row := range []struct{ in, safe, want string }{
		{"", "", ""},
		{"aZ09", "", "aZ09"},
		{"a b/c%20\xe9", "", "a%20b%2Fc%2520%E9"},
		{"a-b.c_d~e", "-._~", "a-b.c_d~e"},
		{"@[`{/:", "", "%40%5B%60%7B%2F%3A"}, // the neighbours of letters and digits
	} {
		if got := EscapeBut(row.in, row.safe); got != row.want {
			t.Errorf("%q but %q: got %q, want %q", row.in, row.safe, got, row.want)
		}
	}
	if got := EscapeBut(string(all), "/"); Escaped(got).Decode() != string(all) {
		t.Errorf("got %q, want text that decodes to all bytes", got)
	}
}
