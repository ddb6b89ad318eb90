package netrc_test

import (
	"fmt"

	"example.org/deref/fetch/netrc"
)

func Example() {
	f := netrc.Parse(`
machine ftp.example login alice password "open sesame"
default login anonymous password me@here.example
`)
	fmt.Println(f.Lookup("ftp.example", ""))
	fmt.Println(f.Lookup("other.example", ""))
	fmt.Println(f.Lookup("ftp.example", "bob")) // neither entry is bob's
	// Output:
	// alice open sesame true
	// anonymous me@here.example true
	//   false
}
