package refer_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/wais"
	"example.org/deref/uri"
)

// WAIS documents come from an HTTP gateway. Planning shows where a request goes, without contacting the gateway.
func ExampleApply() {
	rule, err := refer.Parse("wais=http://gateway.example/get?{uri}")
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := refer.Apply([]fetch.Scheme{wais.Scheme()}, []refer.Rule{rule})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(list...)
	defer c.Close()
	p, err := c.Plan(uri.MustParse("wais://wais.example/tides?spring"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Refers {
		fmt.Println(r.URI)
	}
	// Output: http://gateway.example/get?wais%3A%2F%2Fwais.example%2Ftides%3Fspring
}

// A mirror is mounted on this machine. A file that exists there needs no server.
func ExampleLocally() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "motd"), []byte("Welcome."), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	local, err := refer.NewLocal("ftp://ftp.example/pub/", dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(refer.Locally([]fetch.Scheme{file.Scheme()}, []refer.Local{local})...)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("ftp://ftp.example/pub/motd"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.URI.Scheme())
	io.Copy(os.Stdout, d.Body)
	// Output:
	// file
	// Welcome.
}
