package fetchtest

import (
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs f in a bubble of testing/synctest. Its clock advances only while all goroutines wait. So timeouts take no real time, and
// the duration of a request by this clock does not depend on the machine or its load. A live case has real connections, which need the real
// clock.
func inBubble(t *testing.T, live bool, f func(t *testing.T)) {
	t.Helper()
	if live {
		f(t)
		return
	}
	defer func() {
		if blocked := recover(); blocked != nil { // by synctest
			t.Errorf("goroutines are left; end them in Body.Close: %v", blocked)
		}
	}()
	now := time.Now().Round(0) // without the monotonic clock, which the bubble does not share
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now)) // a bubble begins in the year 2000, before the certificates are valid
		f(t)
	})
}
