package fetchtest_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/finger"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// A slow connection that loses packets, for one Client: the document is the same.
func ExampleRelay_Attach() {
	srv := gophertest.NewServer(fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}}, nil)
	defer srv.Close()
	r := fetchtest.NewRelay(fetchtest.Faults{Latency: 5 * time.Millisecond, Rate: 7000, Loss: 2, Retransmit: 10 * time.Millisecond})
	defer r.Close()
	c := fetch.New(gopher.Schemes()...)
	r.Attach(c)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/0/about.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Printf("%q %v\n", b, err)
	// Output: "All about us.\r\n" <nil>
}

// The conformance suite of a scheme. A test function of the scheme's package has this body.
func Example() {
	_ = func(t *testing.T) {
		fetchtest.Test(t, finger.Scheme(),
			fetchtest.Case{URI: "finger://finger.example/alice", Body: "Login: alice\r\n", Script: `
				C: alice
				S: Login: alice
				*: [end]`},
			fetchtest.Case{URI: "finger://finger.example/nobody", Err: fetch.ErrNotFound, Script: `
				C: nobody
				S: finger: nobody: no such user.
				*: [end]`})
	}
}

// A table of plans. It contacts no server.
func ExamplePlans() {
	_ = func(t *testing.T) {
		fetchtest.Plans(t, []fetchtest.PlanCase{
			{URI: "gopher://h/1/docs", Want: "tcp h:70 none listing application/gopher-menu\n/docs"},
			{URI: "gopher://h/0/a%0D%0Ab", Kind: fetch.ErrRefusedURL},
		}, gopher.Schemes()...)
	}
}

func ExampleDescribe() {
	p, err := fetch.New(finger.Scheme()).Plan(uri.MustParse("finger://h/alice"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fetchtest.Describe(p))
	// Output:
	// tcp h:79 document text/plain
	// alice
}
