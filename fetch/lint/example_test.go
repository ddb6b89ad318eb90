package lint_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/lint"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// The author of a server tests it in process. This one has a fault of vsftpd.
func ExampleRun() {
	srv := ftptest.NewServer(fstest.MapFS{"tides.txt": {Data: []byte("High water.\n")}}, ftptest.Vsftpd())
	defer srv.Close()
	c := fetch.New(ftp.Schemes(nil)...)
	defer c.Close()
	r, err := lint.Run(context.Background(), c, uri.MustParse(srv.URL+"/"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ch := range r.Checks {
		for _, f := range ch.Findings {
			fmt.Println(ch.Name+":", f)
		}
	}
	// Output:
	// the URI: the reply to EPSV: 550, although FEAT lists EPSV (RFC 2389 section 3.2)
}
