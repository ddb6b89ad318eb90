//go:build unix

package secretfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
)

// ReadFile refuses a password file until only its owner can read it.
func ExampleReadFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "password")
	if err := os.WriteFile(name, []byte("sesame"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	os.Chmod(name, 0o644)
	_, err = secretfile.ReadFile(name)
	fmt.Println(fetch.KindOf(err))
	os.Chmod(name, 0o600)
	b, err := secretfile.ReadFile(name)
	fmt.Printf("%s %v\n", b, err)
	// Output:
	// local
	// sesame <nil>
}
