// Package ratelimit reads the fields in which HTTP servers say how many requests they still accept: RateLimit (draft-ietf-httpapi-ratelimit-headers),
// its earlier forms RateLimit-Remaining and RateLimit-Reset, and the X-RateLimit-... fields that preceded them.
package ratelimit

import (
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// A Limit is what a server still accepts.
type Limit struct {
	Remaining int64         // requests
	Reset     time.Duration // until there are more
}

// Of returns the limit in the fields of a response that was received at a time. Of several limits it returns the one with the fewest requests. ok is
// false if there is none.
func Of(h textproto.MIMEHeader, now time.Time) (l Limit, ok bool) {
	for _, line := range h["Ratelimit"] {
		for _, item := range items(line) {
			if n, valid := parsed(item); valid && (!ok || n.Remaining < l.Remaining) {
				l, ok = n, true
			}
		}
	}
	if ok {
		return l, true
	}
	for _, prefix := range []string{"Ratelimit-", "X-Ratelimit-", "X-Rate-Limit-"} {
		remaining, err := strconv.ParseInt(first(h.Get(prefix+"Remaining")), 10, 63)
		reset, valid := resetOf(first(h.Get(prefix+"Reset")), now)
		if err == nil && valid && remaining >= 0 {
			return Limit{remaining, reset}, true
		}
	}
	return Limit{}, false
}

// items splits the value of RateLimit: a list of policies with parameters, `"burst";r=50;t=30`, or, in earlier drafts, of parameters.
func items(line string) []string {
	if strings.Contains(line, ";") {
		return strings.Split(line, ",")
	}
	return []string{strings.ReplaceAll(line, ",", ";")}
}

func parsed(item string) (l Limit, ok bool) {
	var remaining, reset bool
	for part := range strings.SplitSeq(item, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 0 {
			continue
		}
		switch key {
		case "r", "remaining":
			l.Remaining, remaining = n, true
		case "t", "reset":
			l.Reset, reset = time.Duration(n)*time.Second, true
		}
	}
	return l, remaining && reset
}

// first returns the first element of a list.
func first(value string) string {
	value, _, _ = strings.Cut(value, ",")
	value, _, _ = strings.Cut(value, ";")
	return strings.TrimSpace(value)
}

// resetOf parses seconds. QUIRK: GitHub and others send a time in seconds since 1970, and some in milliseconds.
func resetOf(value string, now time.Time) (time.Duration, bool) {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || n < 0 || n > 1e15:
		return 0, false
	case n > 1e12:
		n /= 1000
		fallthrough
	case n > 1e9:
		return max(0, time.Unix(int64(n), 0).Sub(now)), true
	}
	return time.Duration(n * float64(time.Second)), true
}
