package prospero_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/uri"
)

// The server names an FTP server for the object, which the Client would contact next.
func ExampleScheme() {
	srv := prosperotest.NewServer(fstest.MapFS{"pub/tides.txt": {Data: []byte("High water.\n")}}, &prosperotest.Options{FTP: "ftp.example:21"})
	defer srv.Close()
	c := fetch.New(prospero.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/AFTP/pub/tides.txt"), &fetch.Options{NoFollow: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Referrals[0].URI)
	// Output: ftp://ftp.example/pub/tides.txt;type=i
}
