package whois_test

import (
	"context"
	"fmt"
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
