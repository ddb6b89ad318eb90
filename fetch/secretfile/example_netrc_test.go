package secretfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/deref/fetch/secretfile"
)

func ExampleReadNetrc() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, ".netrc")
	if err := os.WriteFile(name, []byte(`
machine ftp.example login alice password "open sesame"
default login anonymous password me@here.example
`), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	f, err := secretfile.ReadNetrc(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Lookup("ftp.example", ""))
	fmt.Println(f.Lookup("other.example", ""))
	fmt.Println(f.Lookup("ftp.example", "bob")) // neither entry is bob's
	// Output:
	// alice open sesame true
	// anonymous me@here.example true
	//   false
}
