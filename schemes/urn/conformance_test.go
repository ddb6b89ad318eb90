package urn

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(nil),
		fetchtest.Case{URI: "urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8", Type: "text/plain", End: fetch.EndDeclared,
			Body: "uuid 919108f7-52d1-4320-9bac-f847db4148a8\nversion 4: random\n"},
		fetchtest.Case{URI: "urn:example:nobody", Err: fetch.ErrUnsupported})
}
