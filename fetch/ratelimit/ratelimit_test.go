package ratelimit_test

import (
	"fmt"
	"net/textproto"
	"testing"
	"time"

	"example.org/deref/fetch/ratelimit"
)

func TestOf(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		field, value, reset string
		want                ratelimit.Limit
		ok                  bool
	}{
		{"RateLimit", `"default";r=50;t=30`, "", ratelimit.Limit{Remaining: 50, Reset: 30 * time.Second}, true},
		{"RateLimit", `"hour";r=900;t=3000, "burst";r=0;t=7`, "", ratelimit.Limit{Reset: 7 * time.Second}, true},
		{"RateLimit", "limit=100, remaining=50, reset=5", "", ratelimit.Limit{Remaining: 50, Reset: 5 * time.Second}, true},
		{"RateLimit", `"default";r=50`, "", ratelimit.Limit{}, false},
		{"RateLimit", `"default";r=-1;t=x`, "", ratelimit.Limit{}, false},
		{"RateLimit-Remaining", "0", "9", ratelimit.Limit{Reset: 9 * time.Second}, true},
		{"X-RateLimit-Remaining", "59", "1700000060", ratelimit.Limit{Remaining: 59, Reset: time.Minute}, true},
		{"X-RateLimit-Remaining", "59", "1700000060000", ratelimit.Limit{Remaining: 59, Reset: time.Minute}, true},
		{"X-RateLimit-Remaining", "0, 3", "1600000000", ratelimit.Limit{}, true},
		{"X-Rate-Limit-Remaining", "x", "1", ratelimit.Limit{}, false},
		{"X-RateLimit-Remaining", "1", "", ratelimit.Limit{}, false},
	} {
		h := textproto.MIMEHeader{}
		h.Set(c.field, c.value)
		if c.reset != "" {
			h.Set(c.field[:len(c.field)-len("Remaining")]+"Reset", c.reset)
		}
		if got, ok := ratelimit.Of(h, now); got != c.want || ok != c.ok {
			t.Errorf("%v: got %v, %t; want %v, %t", h, got, ok, c.want, c.ok)
		}
	}
}

func ExampleOf() {
	h := textproto.MIMEHeader{}
	h.Set("RateLimit", `"default";r=0;t=30`)
	l, ok := ratelimit.Of(h, time.Now())
	fmt.Println(l.Remaining, l.Reset, ok)
	// Output: 0 30s true
}
