package http

import (
	"net/textproto"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/schemetest"
)

func TestQuota(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		field, value, reset string
		want                fetch.Quota
	}{
		{"RateLimit", `"default";r=50;t=30`, "", fetch.Quota{Remaining: 50, Reset: 30 * time.Second}},
		{"RateLimit", `"hour";r=900;t=3000, "burst";r=0;t=7`, "", fetch.Quota{Reset: 7 * time.Second}},
		{"RateLimit", "limit=100, remaining=50, reset=5", "", fetch.Quota{Remaining: 50, Reset: 5 * time.Second}},
		{"RateLimit", `"default";r=50`, "", fetch.Quota{}},
		{"RateLimit", `"default";t=50`, "", fetch.Quota{}},
		{"RateLimit", `"default";r=-1;t=x`, "", fetch.Quota{}},
		{"RateLimit-Remaining", "0", "9", fetch.Quota{Reset: 9 * time.Second}},
		{"X-RateLimit-Remaining", "59", "1700000060", fetch.Quota{Remaining: 59, Reset: time.Minute}},
		{"X-RateLimit-Remaining", "59", "1700000060000", fetch.Quota{Remaining: 59, Reset: time.Minute}},
		{"X-RateLimit-Remaining", "0, 3", "1600000000", fetch.Quota{}}, // past
		{"X-Rate-Limit-Remaining", "x", "1", fetch.Quota{}},
		{"X-RateLimit-Remaining", "1", "", fetch.Quota{}},
	} {
		h := textproto.MIMEHeader{}
		h.Set(c.field, c.value)
		if c.reset != "" {
			h.Set(c.field[:len(c.field)-len("Remaining")]+"Reset", c.reset)
		}
		if got := quotaOf(h, now); got != c.want {
			t.Errorf("%v: got %v, want %v", h, got, c.want)
		}
	}
}

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
