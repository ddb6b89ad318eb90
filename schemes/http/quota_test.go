package http

import (
	"net/textproto"
	"testing"
	"time"

	"example.org/deref/fetch"
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
