package ldap_test

import (
	"context"
	"fmt"
	"testing/fstest"

	goldap "github.com/go-ldap/ldap/v3"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ldap"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/uri"
)

// The URI names the base object, the attributes, the scope and a filter.
func ExampleSchemes() {
	srv := ldaptest.NewServer(fstest.MapFS{}, &ldaptest.Options{Entries: []ldaptest.Entry{
		{DN: "cn=Ann Lee,o=site", Attr: [][2]string{{"objectClass", "person"}, {"cn", "Ann Lee"}, {"mail", "ann@site.example"}}},
		{DN: "cn=Bob Ray,o=site", Attr: [][2]string{{"objectClass", "person"}, {"cn", "Bob Ray"}, {"mail", "bob@site.example"}}},
	}})
	defer srv.Close()
	c := fetch.New(ldap.Schemes(nil)...)
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/o=site?mail?sub?(cn=Ann*)"), nil) {
		fmt.Println(e.Title, e.Attr["mail"], err)
	}
	// Output:
	// cn=Ann Lee,o=site [ann@site.example] <nil>
}

// A client of another library searches for the entry of a file.
func Example_ldaptest() {
	srv := ldaptest.NewServer(fstest.MapFS{"pub/motd.txt": {Data: []byte("Welcome.")}}, nil)
	defer srv.Close()
	c, err := goldap.DialURL(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	r, err := c.Search(goldap.NewSearchRequest("o=site", goldap.ScopeWholeSubtree, goldap.NeverDerefAliases, 0, 0, false, "(cn=motd.txt)", nil, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Entries {
		fmt.Println(e.DN, e.GetAttributeValue("data"))
	}
	// Output: cn=motd.txt,ou=pub,o=site Welcome.
}
