package ldap

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/ldap/ldaptest"
)

func TestConformance(t *testing.T) {
	srv := ldaptest.NewServer(site(), &ldaptest.Options{Users: map[string]string{"cn=ann": "open sesame"}})
	defer srv.Close()
	login := fetch.Options{Login: fetch.Login{User: "cn=ann", Password: "open sesame", Set: true},
		Set: map[string][]string{"ldap.page": {"2"}}}
	fetchtest.Test(t, Schemes(nil)[0],
		fetchtest.Case{Name: "search", URI: srv.URL + "/o=site??sub", Live: true, Options: login, Type: fetch.ListingType},
		fetchtest.Case{Name: "value", URI: srv.URL + "/cn=c.txt,ou=names,o=site?data???x-value", Live: true, Options: login, Body: "c\n",
			End: fetch.EndDeclared},
		fetchtest.Case{Name: "nothing", URI: srv.URL + "/cn=zz,o=site", Live: true, Options: login, Err: fetch.ErrNotFound},
		fetchtest.Case{Name: "nobody", URI: srv.URL + "/o=site", Live: true, Err: fetch.ErrRefused},
	)
}
