package http

import (
	"testing"
	"time"

	"example.org/deref/schemes/internal/schemetest"
)

func TestRetryAfter(t *testing.T) {
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, test := range []struct {
		value, date string
		want        time.Duration
	}{
		{"120", date, 2 * time.Minute},
		{"0", date, 0},
		{"Sun, 06 Nov 1994 08:50:07 GMT", date, 30 * time.Second},
		{"Sunday, 06-Nov-94 08:50:07 GMT", date, 30 * time.Second}, // RFC 9110 section 5.6.7: obsolete forms too
		{"Sun, 06 Nov 1994 08:00:00 GMT", date, 0},                 // past
		{"-5", date, 0},
		{"1e9", date, 0},
		{"99999999999999999999", date, 0},
		{"soon", date, 0},
	} {
		if got := retryAfter(test.value, test.date); got != test.want {
			t.Errorf("%q: got %v, want %v", test.value, got, test.want)
		}
	}
	inAnHour := time.Now().Add(time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	if got := retryAfter(inAnHour, "broken"); got < 59*time.Minute || got > time.Hour {
		t.Errorf("without the server's clock: got %v, want an hour", got)
	}
}

// TestPage checks that the table of statuses is documented.
func TestPage(t *testing.T) { schemetest.Page(t, statuses(), Schemes(nil)...) }
