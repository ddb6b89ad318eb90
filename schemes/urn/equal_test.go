package urn_test

import (
	"testing"

	"example.org/deref/schemes/urn"
	"example.org/deref/uri"
)

// TestEqual checks that r-, q- and f-components do not count (RFC 8141 section 3.2), and that case matters only after the NID.
func TestEqual(t *testing.T) {
	rules := urn.Scheme(nil).Rules
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"urn:example:a123,z456", "URN:EXAMPLE:a123,z456", true}, // the examples of section 3.2
		{"urn:example:a123,z456", "urn:example:a123,z456?+abc", true},
		{"urn:example:a123,z456", "urn:example:a123,z456?=xyz", true},
		{"urn:example:a123,z456", "urn:example:a123,z456#789", true},
		{"urn:example:a123,z456", "urn:example:a123,z456/foo", false},
		{"urn:example:a123,z456", "urn:example:A123,z456", false},
		{"urn:example:a123%2Cz456", "urn:example:a123%2cz456", true},
		{"urn:example:a123,z456", "urn:example:a123%2Cz456", false},
	} {
		if got := uri.RFC2141.Equal(uri.MustParse(tt.a), uri.MustParse(tt.b), &rules); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
