package testdata_test

import (
	"bytes"
	"fmt"
	"io/fs"

	"example.org/deref/testdata"
)

func Example() {
	text, err := fs.ReadFile(testdata.Site(), "history/ftp.txt")
	first, _, _ := bytes.Cut(text, []byte("\n"))
	fmt.Printf("%s %v\n", first, err)
	// Output: ftp <nil>
}
