package ldap

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/uri"
)

func site() fstest.MapFS {
	return fstest.MapFS{
		"a,b.txt":      {Data: []byte("\x00\xff octets\n")},
		"names/c.txt":  {Data: []byte("c\n")},
		"names/d.txt":  {Data: []byte("d\n")},
		"names/e/f":    {Data: []byte("f\n")},
		"names/e/g h?": {Data: []byte("g\n")},
	}
}

// names dereferences s and returns the names of its entries.
func names(t testing.TB, c *fetch.Client, s string, o *fetch.Options) (list []string, err error) {
	t.Helper()
	for e, err := range c.Entries(t.Context(), uri.MustParse(s), o) {
		if err != nil {
			return list, err
		}
		list = append(list, e.Title)
	}
	return list, nil
}

func TestSearch(t *testing.T) {
	srv := ldaptest.NewServer(site(), nil)
	defer srv.Close()
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	for _, tt := range []struct {
		path string
		want []string
		kind fetch.Kind
	}{
		{"/o=site", []string{"o=site"}, ""},
		{"/o=site??one", []string{`cn=a\,b.txt,o=site`, "ou=names,o=site"}, ""},
		{"/O=Site??sub?(cn=*.txt)", []string{`cn=a\,b.txt,o=site`, "cn=c.txt,ou=names,o=site", "cn=d.txt,ou=names,o=site"}, ""},
		{"/o=site??sub?(%26(cn=*)(!(cn=*.txt)))", []string{"cn=f,ou=e,ou=names,o=site", "cn=g h?,ou=e,ou=names,o=site"}, ""},
		{"/o=site??sub?(%7C(cn=f)(cn~=g))", []string{"cn=f,ou=e,ou=names,o=site", "cn=g h?,ou=e,ou=names,o=site"}, ""},
		{"/cn=a%5C2Cb.txt,o=site?cn", []string{`cn=a\,b.txt,o=site`}, ""},
		{"/o=site??sub?(cn=nobody)", nil, ""},
		{"/o=nowhere", nil, fetch.ErrNotFound},
		{"/x", nil, fetch.ErrRefusedURL}, // invalidDNSyntax
	} {
		for _, page := range []string{"1", "2", "500"} {
			got, err := names(t, c, srv.URL+tt.path, &fetch.Options{Set: map[string][]string{"ldap.page": {page}}})
			if !reflect.DeepEqual(got, tt.want) || fetch.KindOf(err) != tt.kind {
				t.Errorf("%s by %s: got %q, %v, want %q, kind %q", tt.path, page, got, err, tt.want, tt.kind)
			}
		}
	}
	got, err := names(t, c, "x500"+strings.TrimPrefix(srv.URL, "ldap")+"/o=site?g", nil)
	if len(got) != 1 || err != nil {
		t.Errorf("x500: got %q, %v, want 1 entry", got, err)
	}
}

// TestEntryURIs checks that the URI of an entry retrieves only that entry, and with x-value its bytes.
func TestEntryURIs(t *testing.T) {
	srv := ldaptest.NewServer(site(), nil)
	defer srv.Close()
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	n := 0
	for e, err := range c.Entries(t.Context(), uri.MustParse(srv.URL+"/o=site??sub"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got, err := names(t, c, e.URI.String(), nil); !reflect.DeepEqual(got, []string{e.Title}) {
			t.Errorf("%s: got %q, %v, want only %q", e.URI, got, err, e.Title)
		}
		if data := e.Attr["data"]; data != nil {
			n++
			v, got, err := fetchtest.GetWith(t, c, e.URI.String()+"?DATA???!x-value=1", nil)
			if got != data[0] || err != nil || v.Size != int64(len(got)) {
				t.Errorf("%s: got %q, %v, want %q", e.URI, got, err, data[0])
			}
			m, got, err := fetchtest.GetWith(t, c, e.URI.String()+"?data???x-value", &fetch.Options{Op: fetch.Metadata})
			if got != "" || err != nil || m.Size != v.Size || m.Type != v.Type {
				t.Errorf("metadata of %s: got %q, %v, %+v, want the size and type of %+v", e.URI, got, err, m, v)
			}
		}
	}
	if n != len(site()) {
		t.Errorf("got %d files, want %d", n, len(site()))
	}
	e := fetch.Entry{Attr: map[string][]string{"cn;x": {"1"}, "cn;y": {"2"}, "cn;z": {"3"}}, Order: []string{"cn;z", "cn;x", "cn;y"}}
	for range 20 {
		if got := valuesOf(e, "cn"); got[0] != "3" {
			t.Fatalf("got %q of several attributes, want those of the first", got)
		}
	}
	for path, kind := range map[string]fetch.Kind{
		"/o=site?data???x-value":        fetch.ErrNotFound,
		"/o=site?o???x-value=2":         fetch.ErrNotFound,
		"/o=nowhere?o???x-value":        fetch.ErrNotFound,
		"/o=site?o,ou???x-value":        fetch.ErrRefusedURL,
		"/o=site?o?sub??x-value":        fetch.ErrRefusedURL,
		"/o=site?o??(cn=none)?x-value":  fetch.ErrNotFound,
		"/o=site?o???x-value=-1":        fetch.ErrRefusedURL,
		"/o=site?*???x-value":           fetch.ErrRefusedURL,
		"/o=site?o???x-value=1,!x-nope": fetch.ErrUnsupported,
	} {
		if _, err := c.Get(t.Context(), uri.MustParse(srv.URL+path), nil); fetch.KindOf(err) != kind {
			t.Errorf("%s: got %v, want kind %s", path, err, kind)
		}
	}
}

// TestSizeLimit checks that the error follows the entries.
func TestSizeLimit(t *testing.T) {
	srv := ldaptest.NewServer(site(), &ldaptest.Options{Most: 3})
	defer srv.Close()
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	for _, page := range []string{"2", "500"} {
		got, err := names(t, c, srv.URL+"/??sub", &fetch.Options{Set: map[string][]string{"ldap.page": {page}}})
		if len(got) != 3 || !errors.Is(err, fetch.ErrLimit) {
			t.Errorf("got %q, %v, want 3 entries, kind %s", got, err, fetch.ErrLimit)
		}
	}
}

func TestReferral(t *testing.T) {
	there := ldaptest.NewServer(site(), nil)
	defer there.Close()
	here := ldaptest.NewServer(fstest.MapFS{}, &ldaptest.Options{Refer: map[string]string{"o=site": there.URL}})
	defer here.Close()
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	u := here.URL + "/o=site?o?one"
	if _, err := names(t, c, u, nil); !errors.Is(err, fetch.ErrRedirect) {
		t.Errorf("without FollowTo: got %v, want kind %s", err, fetch.ErrRedirect)
	}
	c.Policy.FollowTo = []string{"ldap"}
	if got, err := names(t, c, u, nil); len(got) != 2 || err != nil {
		t.Errorf("with FollowTo: got %q, %v, want 2 entries", got, err)
	}
	c.Policy.NoFollow = true
	for _, tt := range []struct{ from, to, want string }{
		{"/o=site?o?one", "", "/o=site?o?one"},
		{"/o=site?o?one?(o=a)?x", "/o=b??sub", "/o=b?o?sub?(o=a)?x"}, // of OpenLDAP
		{"/o=site?o?one?(o=a)", "/o=b?cn??(o=b)?y=1", "/o=b?cn?one?(o=b)?y=1"},
		{"/o=site?words", "/", "/o=site??sub?(%7C(cn~=words)(sn~=words))"}, // x500
		{"/o=site?o?base#", "/o=b", "/o=b?o?sub?(&(cn=*ann*))"},            // a search
	} {
		here := ldaptest.NewServer(fstest.MapFS{}, &ldaptest.Options{Refer: map[string]string{"o=site": there.URL + tt.to}})
		from, search := here.URL+tt.from, []string(nil)
		if strings.HasSuffix(tt.from, "?words") {
			from = strings.Replace(from, "ldap:", "x500:", 1)
		} else if strings.HasSuffix(tt.from, "#") {
			search = []string{"ann"}
		}
		d, err := c.Get(t.Context(), uri.MustParse(from), &fetch.Options{Search: search})
		if err != nil {
			t.Fatal(err)
		}
		if d.Body.Close(); len(d.Referrals) != 1 || d.Referrals[0].URI.String() != there.URL+tt.want {
			t.Errorf("%s: got referrals %v, want %s", from, d.Referrals, there.URL+tt.want)
		}
		here.Close()
	}
}

func TestLogin(t *testing.T) {
	cert, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	users := map[string]string{"cn=ann": "sesame"}
	secure := ldaptest.NewServer(site(), &ldaptest.Options{Users: users, TLS: cert})
	defer secure.Close()
	clear := ldaptest.NewServer(site(), &ldaptest.Options{Users: users})
	defer clear.Close()
	for _, tt := range []struct {
		url, user, password, ssl string
		kind                     fetch.Kind
		said                     string
	}{
		{secure.URL, "cn=ann", "sesame", "", "", "StartTLS, bind cn=ann, search o=site base"},
		{secure.URL, "cn=ann", "sesame", "never", "", "bind cn=ann, search o=site base"},
		{secure.URL, "cn=ann", "wrong", "", fetch.ErrAuth, "StartTLS, bind cn=ann"},
		{secure.URL, "", "", "require", fetch.ErrRefused, "StartTLS, bind , search o=site base"},
		{secure.URL, "", "", "", fetch.ErrRefused, "bind , search o=site base"},
		{clear.URL, "cn=ann", "sesame", "", "", "bind cn=ann, search o=site base"},
		{clear.URL, "cn=ann", "sesame", "require", fetch.ErrTLS, ""},
	} {
		c := fetch.New(Schemes(nil)...)
		c.TLS = &tls.Config{RootCAs: roots}
		srv, trace := secure, ""
		var mu sync.Mutex // the library reads in a goroutine of its own
		if tt.url == clear.URL {
			srv = clear
		}
		before := len(srv.Transcript())
		o := &fetch.Options{Login: fetch.Login{User: tt.user, Password: tt.password, Set: tt.user != ""}, Trace: func(e fetch.Event) {
			mu.Lock()
			defer mu.Unlock()
			trace += fmt.Sprintf("%s %q ", e.Note, e.Data)
		}}
		if tt.ssl != "" {
			o.Set = map[string][]string{"ldap.ssl": {tt.ssl}}
		}
		_, err := names(t, c, tt.url+"/o=site", o)
		if said := strings.Join(srv.Transcript()[before:], ", "); fetch.KindOf(err) != tt.kind || said != tt.said {
			t.Errorf("%+v: got requests %q, %v", tt, said, err)
		}
		c.Close()
		mu.Lock()
		if tt.password != "" && strings.Contains(trace, tt.password) {
			t.Errorf("got trace %s, want no password", trace)
		}
		mu.Unlock()
	}
	untrusting := fetch.New(Schemes(nil)...)
	defer untrusting.Close()
	if _, err := names(t, untrusting, secure.URL+"/o=site",
		&fetch.Options{Login: fetch.Login{User: "cn=ann", Password: "sesame", Set: true}}); !errors.Is(err, fetch.ErrTLS) {
		t.Errorf("an unknown certificate: got %v, want kind %s", err, fetch.ErrTLS)
	}
}

// TestSlapd compares with OpenLDAP's ldapsearch.
func TestSlapd(t *testing.T) {
	addr := lab.Server(t, "slapd")
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	for _, tt := range []struct {
		path string
		args []string
	}{
		{"/ou=CN%20Division,o=CERN,c=CH??sub", []string{"-b", "ou=CN Division,o=CERN,c=CH"}},
		{"/o=CERN,c=CH?cn?sub?(cn=Person%2000*)", []string{"-b", "o=CERN,c=CH", "(cn=Person 00*)", "cn"}},
		{"/dc=lab,dc=test??one", []string{"-b", "dc=lab,dc=test", "-s", "one"}},
		{"/cn=Ren%C3%A9e%20M%C3%BCller,ou=CN%20Division,o=CERN,c=CH", []string{"-b", "cn=Renée Müller,ou=CN Division,o=CERN,c=CH", "-s", "base"}},
		{"/?namingContexts", []string{"-b", "", "-s", "base", "namingContexts"}},
	} {
		cmd := lab.Client(t, "ldapsearch", append([]string{"-x", "-LLL", "-o", "ldif-wrap=no", "-E", "pr=500/noprompt", "-H", "ldap://" + addr},
			tt.args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", cmd.Args, err)
		}
		want := 0
		for line := range strings.Lines(string(out)) {
			if strings.Contains(strings.TrimRight(line, "\n")+" ", ": ") && !strings.HasPrefix(line, "#") {
				want++
			}
		}
		got := 0
		d, err := c.Get(t.Context(), uri.MustParse("ldap://"+addr+tt.path), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		for e, err := range d.Entries {
			if err != nil {
				t.Error(err)
			}
			if e.Kind == fetch.KindEntry {
				got++
				for _, v := range e.Attr {
					got += len(v)
				}
			}
		}
		d.Body.Close()
		if got != want || want == 0 {
			t.Errorf("%s: got %d lines, want ldapsearch's %d:\n%s", tt.path, got, want, out)
		}
	}
	if list, err := names(t, c, "ldap://"+addr+"/c=CH??sub?(cn=Person*)", nil); len(list) != 51 || !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("got %d entries, %v, want 51 with the reference, kind %s", len(list), err, fetch.ErrLimit)
	}
	if list, err := names(t, c, "ldap://"+addr+"/cn=Alias,o=CERN,c=CH", nil); len(list) != 1 || !strings.HasPrefix(list[0], "cn=Tim Lab,") {
		t.Errorf("alias: got %q, %v, want cn=Tim Lab", list, err)
	}
	if list, err := names(t, c, "ldap://"+addr+"/o=CERN,c=CH??one?(ou=Else*)", nil); !slices.Equal(list,
		[]string{"ldap://127.0.0.1:1/ou=Elsewhere,o=CERN,c=CH??base"}) {
		t.Errorf("reference: got %q, %v, want that of ou=Elsewhere", list, err)
	}
	c.TLS = lab.TLS(t)
	login := &fetch.Options{Login: fetch.Login{User: "cn=Tim Lab,ou=CN Division,o=CERN,c=CH", Password: "secret", Set: true}}
	host, _, _ := net.SplitHostPort(addr)
	for _, u := range []string{"ldap://" + addr + "/c=CH", "ldaps://" + net.JoinHostPort(host, "24390") + "/c=CH"} {
		if list, err := names(t, c, u, login); len(list) != 1 || err != nil {
			t.Errorf("%s: got %q, %v, want 1 entry", u, list, err)
		}
		login := &fetch.Options{Login: fetch.Login{User: login.Login.User, Password: "wrong", Set: true}}
		if _, err := names(t, c, u, login); !errors.Is(err, fetch.ErrAuth) {
			t.Errorf("%s with a wrong password: got %v, want kind %s", u, err, fetch.ErrAuth)
		}
	}
}
