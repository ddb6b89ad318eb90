package whois_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/whois"
	"example.org/deref/schemes/whois/whoistest"
	"example.org/deref/uri"
)

// A response that names another whois server is a referral to it.
func ExampleSchemes() {
	srv := whoistest.NewServer(fstest.MapFS{}, &whoistest.Options{Refer: map[string]string{"site.example": "whois.registry.example"}})
	defer srv.Close()
	c := fetch.New(whois.Schemes(nil)...)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/site.example"), &fetch.Options{NoFollow: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	for _, r := range d.Referrals {
		fmt.Println(r.URI)
	}
	// Output: whois://whois.registry.example/site.example
}

// The same files are records of whois++, which has templates and status codes.
func Example_whoistest() {
	srv := whoistest.NewServer(fstest.MapFS{"site.example": {Data: []byte("owner: Ann Lee\n")}}, &whoistest.Options{Templates: true})
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "site.example\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Println(in.Text())
	}
	// Output:
	// % 220-whoistest ready
	// % 200 Command okay
	// # FULL TEXT WHOISTEST site.example
	//  Name: site.example
	//  text: owner: Ann Lee
	// # END
	// % 226 Transaction complete
	// % 203 Bye
}
