//go:build unix || windows

package main

import (
	"flag"
	"testing"

	"example.org/deref/cmd/internal/licensetest"
)

var update = flag.Bool("update", false, "write licenses.txt again")

func TestLicenses(t *testing.T) {
	t.Parallel()
	licensetest.Test(t, "licenses.txt", "derefd", *update, "example.org/deref/cmd/derefd")
}
