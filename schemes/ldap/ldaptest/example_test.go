package ldaptest_test

import (
	"fmt"
	"testing/fstest"

	ldap "github.com/go-ldap/ldap/v3"

	"example.org/deref/schemes/ldap/ldaptest"
)

// A client of another library searches for the entry of a file.
func ExampleNewServer() {
	srv := ldaptest.NewServer(fstest.MapFS{"pub/motd.txt": {Data: []byte("Welcome.")}}, nil)
	defer srv.Close()
	c, err := ldap.DialURL(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	r, err := c.Search(ldap.NewSearchRequest("o=site", ldap.ScopeWholeSubtree, ldap.NeverDerefAliases, 0, 0, false, "(cn=motd.txt)", nil, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Entries {
		fmt.Println(e.DN, e.GetAttributeValue("data"))
	}
	// Output: cn=motd.txt,ou=pub,o=site Welcome.
}
