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
		At URI
		By map[URI]int
	}
	in := object{MustParse("ftp://me:secret@h/a%20b"), map[URI]int{MustParse("x:y"): 1}}
	text, err := json.Marshal(in)
	if want := `{"At":"ftp://me:secret@h/a%20b","By":{"x:y":1}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	var out object
	if err := json.Unmarshal(text, &out); err != nil || out.At != in.At || out.By[MustParse("x:y")] != 1 {
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
