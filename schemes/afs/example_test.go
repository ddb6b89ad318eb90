package afs_test

import (
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/schemes/afs"
	"example.org/deref/uri"
)

// The URI is a file below the directory at which AFS is mounted.
func ExampleScheme() {
	c := fetch.New(afs.Scheme(&afs.Config{Mount: "/afs"}))
	defer c.Close()
	p, err := c.Plan(uri.MustParse("afs://cell.example/user/ann/notes.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Refers[0].URI)
	// Output: file:///afs/cell.example/user/ann/notes.txt
}
