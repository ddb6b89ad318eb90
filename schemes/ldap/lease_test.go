package ldap

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/render"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/uri"
)

// TestConnectionsAreKept: the connection of a search that was refused or read to its end is reused, that of an interrupted search is not. A
// bound connection is never reused for another user.
func TestConnectionsAreKept(t *testing.T) {
	srv := ldaptest.NewServer(site(), &ldaptest.Options{Users: map[string]string{"cn=ann": "sesame", "cn=bob": "sesame"}})
	defer srv.Close()
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	as := func(user string) *fetch.Options {
		return &fetch.Options{Login: fetch.Login{User: user, Password: "sesame", Set: true}, Set: map[string][]string{"ldap.page": {"2"}}}
	}
	for i, tt := range []struct {
		path, user string
		broken     bool
		sessions   int // so far
	}{
		{"/o=site??sub", "cn=ann", false, 1},
		{"/o=site", "cn=ann", false, 1},
		{"/cn=zz,o=site", "cn=ann", false, 1}, // noSuchObject
		{"/cn=c.txt,ou=names,o=site?data???x-value", "cn=ann", false, 1},
		{"/o=site", "cn=bob", false, 2},
		{"/o=site??sub", "cn=ann", true, 2},
		{"/o=site", "cn=ann", false, 3},
	} {
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+tt.path), as(tt.user))
		if err == nil {
			if d.Entries == nil {
				io.Copy(io.Discard, d.Body)
			} else {
				for _, err := range d.Entries {
					if tt.broken || err != nil {
						break
					}
				}
			}
			d.Body.Close()
		}
		if n := srv.Sessions(); n != tt.sessions {
			t.Errorf("%d, %s: %d connections, want %d", i, tt.path, n, tt.sessions)
		}
	}
	if n := len(slices.DeleteFunc(srv.Transcript(), func(s string) bool { return s != "bind cn=ann" })); n != 2 {
		t.Errorf("got %d binds, want 2", n)
	}
}

// TestKeptConnectionEnds checks that a search is repeated on a new connection if the server closes a reused one instead of responding.
func TestKeptConnectionEnds(t *testing.T) {
	real := ldaptest.NewServer(fstest.MapFS{}, nil)
	defer real.Close()
	s, err := loopback.Listen("", func(c net.Conn) {
		there, err := net.Dial("tcp", real.Addr)
		if err != nil {
			return
		}
		defer there.Close()
		go io.Copy(c, there)
		b := make([]byte, 4096)
		for range 2 { // a bind and a search
			n, err := c.Read(b)
			if err != nil {
				return
			}
			there.Write(b[:n])
		}
		c.Read(b) // and no more
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	c.Timeouts.Idle = 5 * time.Second
	for range 3 {
		if got, err := names(t, c, "ldap://"+s.Addr()+"/o=site", nil); len(got) != 1 || err != nil {
			t.Errorf("got %q, %v, want 1 entry", got, err)
		}
	}
	if n := s.Peers(); n != 3 {
		t.Errorf("got %d connections, want 3", n)
	}
}

// TestLDIF: our output equals that of ldapsearch, in the order of the server. ldapsearch requests pages, too, because slapd's order is
// different without them.
func TestLDIF(t *testing.T) {
	addr := lab.Server(t, "slapd")
	const base = "ou=CN Division,o=CERN,c=CH"
	out, err := lab.Client(t, "ldapsearch", "-x", "-LLL", "-E", "pr=500/noprompt", "-o", "ldif-wrap=no", "-H", "ldap://"+addr, "-b",
		base).Output()
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse("ldap://"+addr+"/"+escape(base)+"??sub"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	var b strings.Builder
	if err := render.View(&b, d, render.LDIF, nil); err != nil {
		t.Fatal(err)
	}
	unfolded := strings.ReplaceAll(strings.TrimPrefix(b.String(), "version: 1\n\n"), "\n ", "")
	if got, want := strings.TrimSpace(unfolded), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(out)), "# pagedresults: "+
		"cookie=")); got != want || strings.Count(want, "dn:") != 6 {
		t.Errorf("got\n%s\nwant ldapsearch's\n%s", got, want)
	}
}
