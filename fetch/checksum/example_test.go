package checksum_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"example.org/deref/fetch/checksum"
)

func Example() {
	files, err := checksum.Parse("SHA256SUMS", strings.NewReader(
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc.txt\n"))
	if err != nil {
		log.Fatal(err)
	}
	want, err := checksum.Find(files, "/pub/abc.txt")
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"abc", "abd"} {
		v, err := want.Verifier()
		if err != nil {
			log.Fatal(err)
		}
		io.Copy(v, strings.NewReader(text))
		fmt.Println(text, v.Finish() == nil)
	}
	// Output:
	// abc true
	// abd false
}
