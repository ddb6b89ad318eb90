package fetchtest_test

import (
	"fmt"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/finger"
	"example.org/deref/schemes/gopher"
	"example.org/deref/uri"
)

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
