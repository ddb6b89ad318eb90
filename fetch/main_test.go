package fetch_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No test of this package leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
