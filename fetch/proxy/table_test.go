package proxy

import (
	"errors"
	"slices"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestBypass(t *testing.T) {
	for _, c := range []struct {
		list, addr string
		direct     bool
		want       bool
	}{
		{"", "h:80", false, false},
		{"*", "h:80", false, true},
		{"example.org", "example.org:80", false, true},
		{"example.org", "www.Example.org.:80", false, true},
		{"example.org", "badexample.org:80", false, false},
		{".example.org", "example.org:80", false, false},
		{".example.org, x", "www.example.org:80", false, true},
		{"*.example.org", "www.example.org:80", false, true},
		{"example.org:8080", "example.org:80", false, false},
		{"example.org:8080", "example.org:8080", false, true},
		{"10.0.0.0/8 192.0.2.1", "10.1.2.3:80", false, true},
		{"10.0.0.0/8 192.0.2.1", "192.0.2.1:80", false, true},
		{"2001:db8::/32", "[2001:db8::1]:80", false, true},
		{"[::1]:80", "[::1]:80", false, true},
		{"fe80::/10", "[fe80::1%eth0]:80", false, true},
		{"fe80::1%eth0", "[fe80::1%eth0]:80", false, true},
		{"fe80::1", "[fe80::1%eth0]:80", false, true},
		{"1.2.3.4", "1.2.3.44:80", false, false},
		{"4", "1.2.3.4:80", false, false},
		{"example.org.", "www.example.org:80", false, true},
		{"example.org.:80", "example.org:80", false, true},
		{"", "localhost:80", true, true},
		{"", "app.localhost.:80", true, true},
		{"", "127.0.0.9:80", true, true},
		{"", "[::ffff:127.0.0.1]:80", true, true},
		{"", "localhost:80", false, false},
	} {
		table := &Table{Bypass: ParseBypass(c.list), Direct: c.direct}
		if listed, local := table.bypasses(c.addr); (listed || local) != c.want {
			t.Errorf("%q bypasses for %s: %v, %v, want %v", c.list, c.addr, listed, local, c.want)
		}
	}
}

// TestPassed: bypassing a proxy for this machine is reported, unless the user has listed the host.
func TestPassed(t *testing.T) {
	p, err := Parse("http://127.0.0.1:3128")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		list, addr string
		want       []string
	}{
		{"", "127.0.0.1:21", []string{"127.0.0.1:21"}},
		{"", "localhost:21", []string{"localhost:21"}},
		{"127.0.0.1", "127.0.0.1:21", nil},
		{"*", "[::1]:21", nil},
		{"x.org", "x.org:21", nil},
		{"", "x.org:21", nil},
	} {
		var got []string
		table := &Table{All: p, Bypass: ParseBypass(c.list), Direct: true, Passed: func(by *Proxy, addr string) {
			if by != p {
				t.Errorf("%s is passed by, want %s", by, p)
			}
			got = append(got, addr)
		}}
		table.proxyFor("ftp", c.addr)
		if !slices.Equal(got, c.want) {
			t.Errorf("no_proxy=%q, %s: %q reported, want %q", c.list, c.addr, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in, want string
		kind     fetch.Kind
	}{
		{"h", "http://h:1080", ""}, {"h:3128", "http://h:3128", ""}, {"socks5h://[::1]:9050", "socks5://[::1]:9050", ""},
		{"https://u:p@h", "https://h:443", ""},
		{"socks4://h", "", fetch.ErrUnsupported}, {"http://", "", fetch.ErrRefusedURL}, {"http://h:0", "", fetch.ErrRefusedURL},
		{"u%0d%0a:p@h", "", fetch.ErrRefusedURL}, {"https://u%3Av:p@h", "", fetch.ErrRefusedURL}, {"socks5://u%3Av:p@h:1", "socks5://h:1", ""},
	} {
		p, err := Parse(c.in)
		if c.kind != "" && !errors.Is(err, c.kind) || c.kind == "" && (err != nil || p.String() != c.want) {
			t.Errorf("%s: got %v, %v; want %s, %v", c.in, p, err, c.want, c.kind)
		}
	}
}

// TestWithLogin: the credentials replace those of the proxy's URI. A user without a password does not get that of the URI.
func TestWithLogin(t *testing.T) {
	for _, c := range []struct{ in, user, password, want string }{
		{"http://h:1", "alice", "p:q/@", "http://alice:p%3Aq%2F%40@h:1/"},
		{"http://bob:secret@h:1", "alice", "x", "http://alice:x@h:1/"},
		{"http://bob:secret@h:1", "alice", "", "http://alice@h:1/"},
	} {
		p, err := Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		q, err := p.WithLogin(c.user, c.password)
		if err != nil {
			t.Fatal(err)
		}
		got := (&Table{All: q}).HTTP(uri.MustParse("http://x/"))
		if got.String() != c.want {
			t.Errorf("%s with %s: got %s, want %s", c.in, c.user, got, c.want)
		}
	}
	for _, user := range []string{"a\r\nb", "a:b"} {
		if _, err := (&Proxy{}).WithLogin(user, ""); fetch.KindOf(err) != fetch.ErrRefusedURL {
			t.Errorf("%q: got %v, want %s", user, err, fetch.ErrRefusedURL)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	env := map[string]string{"http_proxy": "http://a:1", "HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "b:2", "all_proxy": "socks5://c",
		"no_proxy": "x.org"}
	table, err := FromEnvironment(func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	for scheme, want := range map[string]string{"http": "http://a:1", "https": "http://b:2", "ftp": "socks5://c:1080"} {
		if got := table.proxyFor(scheme, "h:80"); got == nil || got.String() != want {
			t.Errorf("%s: got %v, want non-nil got and %q", scheme, got, want)
		}
	}
	if table.proxyFor("http", "www.x.org:80") != nil || table.proxyFor("http", "127.0.0.1:80") != nil {
		t.Error("no_proxy has no effect")
	}
	if u := table.HTTP(uri.MustParse("http://h/")); u.String() != "http://a:1/" {
		t.Errorf("got %v, want \"http://a:1/\"", u)
	}
	delete(env, "http_proxy")
	if table, _ = FromEnvironment(func(k string) string { return env[k] }); table.proxyFor("http", "h:80").String() != "socks5://c:1080" {
		t.Error("HTTP_PROXY was read")
	}
}
