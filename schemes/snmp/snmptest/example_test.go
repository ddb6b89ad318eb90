package snmptest_test

import (
	"fmt"
	"net/netip"
	"testing/fstest"
	"time"

	"github.com/gosnmp/gosnmp"

	"example.org/deref/schemes/snmp/snmptest"
)

// A client of another library reads the object of a file.
func ExampleNewServer() {
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
