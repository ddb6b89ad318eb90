package listing_test

import (
	"fmt"
	"strings"

	"example.org/deref/schemes/ftp/listing"
)

// A listing may be in any known dialect, here that of UNIX servers and then that of MLSD.
func ExampleParse() {
	const text = "-rw-r--r--   1 ftp      ftp            14 Dec 20  1994 f.txt\r\n" +
		"type=dir;modify=19941220120000; a directory\r\n"
	for l, err := range listing.Parse(strings.NewReader(text), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(l.Name, l.Kind == listing.Dir, l.Size, l.Modified.Format("2006-01-02"))
	}
	// Output:
	// f.txt false 14 1994-12-20
	// a directory true -1 1994-12-20
}
