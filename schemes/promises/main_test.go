// Package promises_test tests what holds for every scheme: the promises, strict mode, decoders, and dialogues of other projects' tests.
package promises_test

import (
	"testing"

	"example.org/deref/fetch/fetchtest"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}
