package uri

import (
	"encoding/json"
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

func TestTextOfURI(t *testing.T) {
	in := `{"uri":"http://h/a%2fb?c","void":""}`
	var v struct {
		URI  URI `json:"uri"`
		Void URI `json:"void"`
	}
	if err := json.Unmarshal([]byte(in), &v); err != nil {
		t.Fatal(err)
	}
	if v.URI != MustParse("http://h/a%2fb?c") || !v.Void.IsZero() {
		t.Errorf("got %+v, want the URI that was written", v)
	}
	if b, err := json.Marshal(v); err != nil || string(b) != in {
		t.Errorf("got JSON %s, %v, want the URI as a string", b, err)
	}
	if err := json.Unmarshal([]byte(`{"uri":"http://h:x/"}`), &v); err == nil {
		t.Error("an invalid URI in JSON: got no error, want one")
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
		{"a/b.txt", "", false},
		{"owls", "", false},
		{"box:/x", "", false},
		{"box:", "", false},
		{"C:/x", "", false},
		{"javascript:alert(1)", "", false},
		{"tel:123456", "", false},
		{"http://h.example/", "", false},
		{"u:p@h.example/", "", false},
		{"a=b.example", "", false},
		{"a b.example", "", false},
		{"h.example/%%", "", false},
		{"..", "", false},
		{"", "", false},
	} {
		if got, likely := FromHost(c.in); got.String() != c.want || likely != c.likely {
			t.Errorf("%q: got %q, %v, want %q, %v", c.in, got, likely, c.want, c.likely)
		}
	}
}
