package snmp_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing/fstest"
	"time"

	"github.com/gosnmp/gosnmp"

	"example.org/deref/fetch"
	"example.org/deref/schemes/snmp"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/uri"
)

// An OID that ends in ".*" selects a subtree. Its objects are entries.
func ExampleScheme() {
	srv := snmptest.NewServer(fstest.MapFS{}, &snmptest.Options{Objects: []gosnmp.SnmpPDU{
		{Name: "1.3.6.1.2.1.1.5.0", Type: gosnmp.OctetString, Value: []byte("lighthouse")},
		{Name: "1.3.6.1.2.1.1.7.0", Type: gosnmp.Integer, Value: 72},
	}})
	defer srv.Close()
	c := fetch.New(snmp.Scheme())
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/1.3.6.1.2.1.1.*"), nil) {
		fmt.Println(e.Attr["oid"], e.Attr["name"], e.Attr["type"], e.Attr["value"], err)
	}
	// Output:
	// [1.3.6.1.2.1.1.5.0] [sysName.0] [OCTET STRING] [lighthouse] <nil>
	// [1.3.6.1.2.1.1.7.0] [sysServices.0] [INTEGER] [72] <nil>
}

// A client of another library reads the object of a file.
func Example_snmptest() {
	srv := snmptest.NewServer(fstest.MapFS{"motd": {Data: []byte("Welcome.")}}, nil)
	defer srv.Close()
	addr := netip.MustParseAddrPort(srv.Addr)
	c := &gosnmp.GoSNMP{
		Target: addr.Addr().String(), Port: addr.Port(),
		Version: gosnmp.Version2c, Community: "public", Timeout: 10 * time.Second,
	}
	if err := c.Connect(); err != nil {
		fmt.Println(err)
		return
	}
	defer c.Conn.Close()
	r, err := c.Get([]string{snmptest.OID("motd")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s\n", r.Variables[0].Name, r.Variables[0].Value)
	// Output: .1.3.6.1.4.1.32473.1.109.111.116.100 Welcome.
}
