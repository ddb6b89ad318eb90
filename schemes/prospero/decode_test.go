package prospero

import (
	"testing"

	"example.org/deref/schemes/internal/schemetest"
)

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\x0d\x00\x01\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00VERSION 5\nLIST",
		"\x03\x00\x01hi",
	)
}
