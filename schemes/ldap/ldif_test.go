package ldap

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/schemes/internal/lab"
	"example.org/deref/uri"
)

// TestLDIF: what is written is what ldapsearch writes, in whatever order the attributes stand.
func TestLDIF(t *testing.T) {
	addr := lab.Server(t, "slapd")
	if _, err := exec.LookPath("ldapsearch"); err != nil {
		t.Skip("no ldapsearch")
	}
	const base = "ou=CN Division,o=CERN,c=CH"
	out, err := exec.Command("ldapsearch", "-x", "-LLL", "-o", "ldif-wrap=no", "-H", "ldap://"+addr, "-b", base).Output()
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
	if got, want := records(unfolded), records(string(out)); !slices.Equal(got, want) || len(want) != 6 {
		t.Errorf("%q\nldapsearch writes\n%q", got, want)
	}
}

// records are those of an LDIF, their lines sorted.
func records(text string) (list []string) {
	for r := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(r, "\n")
		slices.Sort(lines)
		list = append(list, strings.Join(lines, "\n"))
	}
	slices.Sort(list)
	return list
}
