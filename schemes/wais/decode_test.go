package wais

import (
	"testing"

	"example.org/deref/schemes/internal/schemetest"
)

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"0000000077z2wais        0\x00\x12\x15\x01\x03",
		"0000000000z2wais      0",
		"0000000044z2wais        0\x00\x2a\x16\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01\x11\x00\x12\x04site\x14\x013\x63\x08\x6a\x01x",
	)
}
