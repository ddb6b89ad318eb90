// Package testdata holds what tests, `deref demo` and `deref serve` share.
package testdata

import (
	"embed"
	"io/fs"
)

//go:embed all:site
var site embed.FS

// Site is the sample site, rooted at its folder: README.txt, index.html and so
// on. Its files have no times.
func Site() fs.FS {
	sub, err := fs.Sub(site, "site")
	if err != nil {
		panic(err) // only if the name above is not a valid path
	}
	return sub
}
