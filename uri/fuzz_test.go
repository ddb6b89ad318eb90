package uri

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// seeds returns the inputs, bases and references of the test vectors.
func seeds(f *testing.F) (out []string) {
	f.Helper()
	out = append(samples(), references()...)
	return append(out, "", "//", "a:", "x:/.//g", "http://u:p@h:80/%2e%2e/../a;p?q#f", "http://[fe80::1%25e]/", "http://h/caf\u00e9",
		"urn:A:b%2c", "1a:b", "sch_me:x", "%61:b", "a//b", "url:x:y", "<URL:x:\ny>", "http://h/a/..//b", "mailto:A@B,C@D", "http://h:/", "foo:a/../b",
		"http:///..//x", "magic://a/b/c//d/e/f", "../../g", "///g", "x:a/..//[g", "a://b@c@d:1",
		// .ci/linear repeats these parts.
		"/a", "/..", "/a/..", "/./", "%2e/", ":", "@", "a://", "a://%", "a://b,", "<", "<a:\n", "<a://", "url:", "< %a://", "(", "http://h)", "[",
		"\u00e9", "\n", "> <\n", "a@B,", "?", ";", "%C3", "a://b;")
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for m := range Mode(modes) {
			u, err := m.Parse(s)
			if err != nil {
				if e := err.(*Error); e.Pos < 0 || e.Pos > len(s) || e.Rule == "" {
					t.Errorf("got an error at byte %d (%s) of %d, want a position in the string", e.Pos, e.Rule, len(s))
				}
				continue
			}
			if got, want := u.String(), stated(s); got != want || !strings.HasPrefix(s, "<") && !strings.HasSuffix(s, got) {
				t.Errorf("got String %q, want %q, which is the end of %q", got, want, s)
			}
			if got := join(u); got != u.String() {
				t.Errorf("composing the components of %q: got %q", u, got)
			}
			if v, err := m.Parse(u.String()); err != nil || v != u || u.Scheme() == "url" {
				t.Errorf("parsing %q again gives another URI, want the same", u)
			}
		}
	})
}

// join composes u from its components. RFC 3986 §5.3.
func join(u URI) string {
	b := u.s[:u.scheme]
	if u.IsAbs() {
		b += ":"
	}
	if _, ok := u.Authority(); ok {
		b += "//"
		if i, ok := u.Userinfo(); ok {
			b += string(i) + "@"
		}
		b += string(u.Host())
		if u.HasPort() {
			b += ":" + u.Port()
		}
	}
	b += string(u.Path())
	if q, ok := u.Query(); ok {
		b += "?" + string(q)
	}
	if f, ok := u.Fragment(); ok {
		b += "#" + string(f)
	}
	return b
}

// FuzzBuild: a URI that a Builder makes matches the grammar and has the components that were set, and nothing else.
func FuzzBuild(f *testing.F) {
	f.Add("http", "me", "p:w", "h.example", 80, "/a/b", "q=1", "f", "seg/ment")
	f.Add("", "", "", "fe80::1%eth0", -1, "//x", "?#", "#", "..")
	f.Add("x", "a@b", "", "a\u2100b", 65536, "a:b", "%", "%4", "")
	f.Add("file", "", "", "", 0, "//h/x", "", "", ".")
	f.Fuzz(func(t *testing.T, scheme, user, password, host string, port int, path, query, fragment, segment string) {
		whole := Build(scheme).Login(user, password).Host(host).Port(port).Path(Escaped(path)).Query(Escaped(query)).Fragment(Escaped(fragment))
		check := func(b Builder, wantUser, wantHost bool, wantPath string) {
			u, err := b.URI()
			if err != nil {
				return
			}
			if err := Grammar(u.String()); err != nil {
				t.Errorf("got %q, which breaks the grammar: %v", u, err)
			}
			gotUser, gotPassword, _ := u.User()
			q, _ := u.Query()
			fr, _ := u.Fragment()
			_, hasHost := u.Authority()
			_, hasUser := u.Userinfo()
			switch {
			case u.Scheme() != strings.ToLower(scheme), hasHost != wantHost, hasUser != wantUser, wantUser && (gotUser != user || gotPassword != password),
				wantHost && u.PortNumber(-1) != port, wantHost && !strings.ContainsAny(host, ":[") && u.Host().Decode() != host, u.Path().Decode() != wantPath, q.Decode() != Escaped(query).Decode(),
				fr.Decode() != Escaped(fragment).Decode():
				t.Errorf("got %q, want %q %q:%q@%q:%d %q?%q#%q", u, scheme, user, password, host, port, wantPath, query, fragment)
			}
			if again, err := u.Edit().URI(); err != nil || again != u {
				t.Errorf("editing nothing: got %q, %v, want %q", again, err, u)
			}
		}
		check(whole, true, true, Escaped(path).Decode())
		check(whole.Segments(segment, segment), true, true, "/"+segment+"/"+segment)
		whole.userinfo, whole.host, whole.port = optional{}, optional{}, optional{}
		check(whole, false, false, Escaped(path).Decode())
	})
}

// FuzzEdit: to change a component changes no other one.
func FuzzEdit(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, "x y")
	}
	f.Fuzz(func(t *testing.T, s, with string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		if got, err := u.Edit().URI(); err != nil && Grammar(u.String()) == nil || err == nil && got != u {
			t.Errorf("got %q, %v, want %q", got, err, u)
		}
		for i, b := range []Builder{u.Edit().Query(Escaped(with)), u.Edit().Fragment(Escaped(with)), u.Edit().Host(with), u.Edit().Path(Escaped(with))} {
			v, err := b.URI()
			if err != nil {
				continue
			}
			was, is := components(RFC3986, u), components(RFC3986, v)
			set := []string{"query", "fragment", "host", "path"}[i]
			delete(was, set)
			delete(is, set)
			if set == "host" { // part of the authority
				delete(was, "authority")
				delete(is, "authority")
			}
			if !reflect.DeepEqual(is, was) {
				t.Errorf("%s %q in %q: got %v, want %v", set, with, s, is, was)
			}
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	rules := []*Rules{nil, {DefaultPort: 80, Hierarchical: true}, {Fold: FoldDomain}, {Fold: FoldPrefix, SecretUser: true}}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		for m := range Mode(modes) {
			for _, r := range rules {
				n := m.Normalize(u, r)
				if again := m.Normalize(n, r); again != n {
					t.Errorf("%v %+v: %q is normalized to %q, and that to %q, want no change", m, r, s, n, again)
				}
				if !m.Equal(u, n, r) || !m.Equal(n, u, r) {
					t.Errorf("%v: %q is not equal to %q", m, s, n)
				}
				agree(t, m, r, u, n)
			}
		}
	})
}

// agree checks that the canonical form n has the decoded components of u, except for those that the rules treat as equal.
func agree(t *testing.T, m Mode, r *Rules, u, n URI) {
	t.Helper()
	if n.Scheme() != u.Scheme() {
		t.Errorf("%v: scheme %q of %q becomes %q", m, u.Scheme(), u, n)
	}
	same := func(what string, a, b Escaped, aHas, bHas, fold bool) {
		t.Helper()
		x, y := a.Decode(), b.Decode()
		if aHas != bHas || x != y && !(fold && strings.EqualFold(x, y)) {
			t.Errorf("%v: %s of %q becomes %q in %q", m, what, u, b, n)
		}
	}
	ui, uHas := u.Userinfo()
	ni, nHas := n.Userinfo()
	same("userinfo", ui, ni, uHas, nHas, false)
	_, uHas = u.Authority()
	_, nHas = n.Authority()
	same("host", asciiLower(u.Host()), asciiLower(n.Host()), uHas, nHas, false)
	def := 0
	if r != nil {
		def = r.DefaultPort
	}
	if u.PortNumber(def) != n.PortNumber(def) {
		t.Errorf("%v: port of %q becomes %q in %q", m, u, n.Port(), n)
	}
	uq, uHas := u.Query()
	nq, nHas := n.Query()
	same("query", uq, nq, uHas, nHas, false)
	uf, uHas := u.Fragment()
	nf, nHas := n.Fragment()
	if m.Drafts() && uf == "" { // D17
		uHas = false
	}
	same("fragment", uf, nf, uHas, nHas, false)
	if !strings.Contains(u.Path().Decode(), ".") && !strings.Contains(n.Path().Decode(), ".") {
		a, b := string(u.Path()), string(n.Path())
		if a == "" && b == "/" {
			b = ""
		}
		same("path", Escaped(a), Escaped(b), true, true, r != nil && r.Fold != 0 || m == RFC2141)
		if strings.Count(a, "/") != strings.Count(b, "/") {
			t.Errorf("%v: the segments of %q change in %q", m, u, n)
		}
	}
}

func asciiLower(e Escaped) Escaped {
	b := []byte(e.Decode())
	for i := range b {
		b[i] = lower(b[i])
	}
	return Escaped(strings.ReplaceAll(string(b), "%", "%25"))
}

func FuzzResolve(f *testing.F) {
	for _, s := range seeds(f) {
		for _, b := range samples()[:4] {
			f.Add(b, s)
			f.Add(s, b)
		}
	}
	f.Fuzz(func(t *testing.T, b, s string) {
		base, err := Parse(b)
		if err != nil {
			return
		}
		ref, err := Parse(s)
		if err != nil {
			return
		}
		for m := range Mode(modes) {
			want := m.Resolve(base, ref)
			if base.IsAbs() && !want.IsAbs() {
				t.Errorf("%v: %q on %q is %q", m, s, b, want)
			}
			a, _ := want.Authority()
			x, _ := base.Authority()
			y, _ := ref.Authority()
			if a != x && a != y {
				t.Errorf("%v: %q on %q has the authority %q in %q, want none", m, s, b, a, want)
			}
			rel := m.Relativize(base, ref)
			if got := m.Resolve(base, rel); got != want && m.Resolve(base, want) == want {
				t.Errorf("%v: %q on %q: got %q, want %q", m, rel, b, got, want)
			}
		}
	})
}

func FuzzEncode(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		for m := range Mode(modes) {
			for a := SafeRFC3986; a <= SafePrint; a++ {
				x := m.Encode(u, a)
				if !m.Equal(u, x, nil) {
					t.Errorf("%v %v: %q is not equal to %q", m, a, x, s)
				}
				for b := SafeRFC3986; b <= SafePrint; b++ {
					if got, want := m.Encode(x, b), m.Encode(u, b); got != want {
						t.Errorf("%v: %q to %v and %v is %q, want %q", m, s, a, b, got, want)
					}
				}
			}
		}
	})
}

func FuzzEscape(f *testing.F) {
	f.Add("a b/c?d#e%f+g:h;type=i@\t\r\n\x00\u00e9\xe9")
	f.Fuzz(func(t *testing.T, s string) {
		for m := range Mode(modes) {
			for c := range Context(contexts) {
				e := c.Escape(m, s)
				for i := range len(e) {
					if (clControl | clBad | clHigh).has(e[i]) || e[i] == '#' {
						t.Errorf("%v %v: %q has %q, want it escaped", m, c, e, e[i])
					}
				}
				if got, err := c.Unescape(e); err != nil || got != s {
					t.Errorf("%v %v: %q is %q and back %q, %v", m, c, s, e, got, err)
				}
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("see <URL:http://h/a b\n > c> or http://h/(x), news:*. url: ftp://a/b,ftp://c/d <1@h>")
	f.Add("> <http://h/\n> a>\n>> <x:")
	f.Add("<http://h/a\u00a0b> <URL:\u3000http://h/\u2028c>")
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for x := range Find(s) {
			if x.Start < end || x.End <= x.Start || x.End > len(s) {
				t.Fatalf("got [%d:%d] after %d in %d bytes, want a later place", x.Start, x.End, end, len(s))
			}
			end = x.End
			if !x.URI.IsAbs() {
				t.Errorf("%q is not absolute", x.URI)
			}
			if u, err := Parse(x.URI.String()); err != nil || u != x.URI {
				t.Errorf("%q does not parse again: %v", x.URI, err)
			}
			if text := x.URI.String(); strings.ContainsFunc(text, unicode.IsSpace) {
				t.Errorf("got white space in %q, want none", text)
			}
		}
	})
}

func FuzzHostname(f *testing.F) {
	for _, h := range []string{"h", "[::1%25eth0]", "b\u00fccher.example", "a_b", "%00", "a\u2100b", "xn--a", "\uff0f", "[v1.x]"} {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, h string) {
		u, err := Parse("x://" + h + "/")
		if err != nil {
			return
		}
		hp, err := u.HostPort(1)
		if err == nil && strings.ContainsAny(hp, "/@?#\\ \r\n\x00") {
			t.Errorf("HostPort returns %q for %q, want an error", hp, h)
		}
	})
}

// FuzzASCII: the result has only ASCII, converting it again changes nothing, and its components decode to the same bytes.
func FuzzASCII(f *testing.F) {
	for _, s := range []string{"http://ü:é@münchen.example:80/мир?é#\xff", "news:é", "//%C3%BC/", "http://a\u2100b/", "é b", "x://[::1%25eth0]/\x80", "http://%68%2f/"} {
		f.Add(s, "http://h/d/мир?é")
	}
	f.Fuzz(func(t *testing.T, s, base string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		a := u.ASCII()
		if !ascii(a.String()) || a.ASCII() != a {
			t.Errorf("%q: got %q, and again %q, want ASCII and the same", s, a, a.ASCII())
		}
		if a.Scheme() != u.Scheme() || a.Path().Decode() != u.Path().Decode() || a.Port() != u.Port() || a.Hostname() != u.Hostname() {
			t.Errorf("%q: got %q, want the same components", s, a)
		}
		b, err := Parse(base)
		if err != nil {
			return
		}
		for _, query := range []func(string) string{nil, func(s string) string { return EscapeBut(s, "") }} {
			if r, err := (Resolver{b, query}).Resolve(s); err == nil && !ascii(r.String()) {
				t.Errorf("%q in %q: got %q, want ASCII", s, base, r)
			}
		}
	})
}
