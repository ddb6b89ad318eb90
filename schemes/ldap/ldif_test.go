package ldap

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

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
	d, err := c.Get(t.Context(), uri.MustParse("ldap://"+addr+"/"+escapeName(base)+"??sub"), nil)
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
