// Package testdata has the sample site, which tests, `deref demo` and `deref serve` use.
package testdata

import (
	"embed"
	"io/fs"
)

//go:embed all:site
var site embed.FS

// Site returns the sample site: README.txt, index.html and so on. Its files have no modification times.
func Site() fs.FS {
	sub, err := fs.Sub(site, "site")
	if err != nil {
		panic(err) // only if the name above is not a valid path
	}
	return sub
}
