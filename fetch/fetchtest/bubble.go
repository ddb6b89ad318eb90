package fetchtest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs f in a bubble of testing/synctest and returns its error, which t reports outside of the bubble: there it knows the line that
// calls Test. The bubble's clock advances only while all goroutines wait. So timeouts take no real time, and the duration of a request by this
// clock does not depend on the machine or its load. A live case has real connections, which need the real clock.
func inBubble(t *testing.T, live bool, f func() error) (err error) {
	if live {
		return f()
	}
	defer func() {
		if blocked := recover(); blocked != nil { // by synctest
			err = fmt.Errorf("goroutines are left; end them in Body.Close: %v", blocked)
		}
	}()
	now := time.Now().Round(0) // without the monotonic clock, which the bubble does not share
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Until(now)) // a bubble begins in the year 2000, before the certificates are valid
		err = f()
	})
	return err
}

// took returns how long f takes by the clock of the bubble.
func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// pass lets time pass in the bubble.
func pass(d time.Duration) { time.Sleep(d) }
