package ldap_test

import (
	"slices"
	"testing"

	"github.com/go-ldap/ldap/v3"

	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/testdata"
)

// TestRootDSE: the attributes of RFC 4512 section 5.1 are sent if they are requested, and the server supports everything that they name.
func TestRootDSE(t *testing.T) {
	s := ldaptest.NewServer(testdata.Site(), &ldaptest.Options{Users: map[string]string{"cn=ann,o=site": "secret"}})
	defer s.Close()
	c, err := ldap.DialURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, x := range []struct {
		attributes, want []string // names
	}{
		{nil, []string{"objectClass"}},
		{[]string{"*"}, []string{"objectClass"}},
		{[]string{"+"}, []string{"supportedLDAPVersion", "namingContexts", "supportedControl", "supportedExtension", "vendorName"}},
		{[]string{"NamingContexts"}, []string{"namingContexts"}},
	} {
		got, err := c.Search(ldap.NewSearchRequest("", ldap.ScopeBaseObject, ldap.NeverDerefAliases, 0, 0, false, "(objectClass=*)",
			x.attributes, nil))
		if err != nil || len(got.Entries) != 1 {
			t.Fatalf("%q: %v, %v", x.attributes, got, err)
		}
		var names []string
		for _, a := range got.Entries[0].Attributes {
			names = append(names, a.Name)
		}
		if !slices.Equal(names, x.want) {
			t.Errorf("%q: got %q, want %q", x.attributes, names, x.want)
		}
	}
	for _, x := range []struct{ password, want string }{{"", ""}, {"secret", "dn:cn=ann,o=site"}, {"wrong", ""}} {
		if x.password != "" {
			c.Bind("cn=ann,o=site", x.password) // its result is seen in the identity
		}
		if got, err := c.WhoAmI(nil); err != nil || got.AuthzID != x.want {
			t.Errorf("after binding with %q: got %+v, %v; want %q", x.password, got, err, x.want)
		}
	}
	if _, err := c.Compare("o=site", "o", "site"); !ldap.IsErrorWithCode(err, ldap.LDAPResultInsufficientAccessRights) {
		t.Errorf("anonymous compare: %v", err)
	}
	if err := c.Del(ldap.NewDelRequest("o=site", nil)); !ldap.IsErrorWithCode(err, ldap.LDAPResultUnwillingToPerform) {
		t.Errorf("delete: %v", err)
	}
}
