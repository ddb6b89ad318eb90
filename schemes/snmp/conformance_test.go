package snmp

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/snmp/snmptest"
)

func TestConformance(t *testing.T) {
	srv := agentOf(t, &snmptest.Options{Community: "open-sesame"})
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "object", URI: srv.URL + "//sysName.0", Live: true, Body: "lab.test", Type: "text/plain", End: fetch.EndDeclared,
			Secrets: []string{"open-sesame"}},
		fetchtest.Case{Name: "walk", URI: srv.URL + "//1.3.6.1.2.1.*", Live: true, Type: fetch.ListingType, Secrets: []string{"open-sesame"}},
		fetchtest.Case{Name: "nothing", URI: srv.URL + "//2.9.1", Live: true, Err: fetch.ErrNotFound},
	)
}
