package command

import (
	"testing"

	"example.org/deref/cmd/internal/licensetest"
)

func TestLicenses(t *testing.T) {
	t.Parallel()
	licensetest.Test(t, "licenses.txt", "deref", *update, "example.org/deref/cmd/deref", "example.org/deref/cmd/deref-browse")
}
