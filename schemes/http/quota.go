package http

import (
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// quotaOf returns the quota in the fields of a response that is received now: RateLimit (draft-ietf-httpapi-ratelimit-headers), its earlier forms
// RateLimit-Remaining and RateLimit-Reset, and the X-RateLimit-... fields that preceded them. Of several quotas it returns the one with the fewest
// requests. It returns the zero Quota if there is none.
func quotaOf(h textproto.MIMEHeader) (q fetch.Quota) {
	for _, line := range h["Ratelimit"] {
		for _, item := range quotas(line) {
			if n := parseQuota(item); n.Reset > 0 && (q.Reset == 0 || n.Remaining < q.Remaining) {
				q = n
			}
		}
	}
	if q.Reset > 0 {
		return q
	}
	for _, prefix := range []string{"Ratelimit-", "X-Ratelimit-", "X-Rate-Limit-"} {
		if h[prefix+"Remaining"] == nil { // without an allocation
			continue
		}
		remaining, err := strconv.ParseInt(first(h.Get(prefix+"Remaining")), 10, 63)
		if reset := resetOf(first(h.Get(prefix + "Reset"))); err == nil && remaining >= 0 && reset > 0 {
			return fetch.Quota{Remaining: remaining, Reset: reset}
		}
	}
	return q
}

// quotas splits the value of RateLimit: a list of policies with parameters, `"burst";r=50;t=30`, or, in earlier drafts, of parameters.
func quotas(line string) []string {
	if strings.Contains(line, ";") {
		return strings.Split(line, ",")
	}
	return []string{strings.ReplaceAll(line, ",", ";")}
}

// parseQuota parses one policy. It returns the zero Quota if it is incomplete.
func parseQuota(item string) fetch.Quota {
	q := fetch.Quota{Remaining: -1}
	for part := range strings.SplitSeq(item, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			continue
		}
		switch key {
		case "r", "remaining":
			q.Remaining = int64(n)
		case "t", "reset":
			q.Reset = time.Duration(n) * time.Second
		}
	}
	if q.Remaining < 0 {
		return fetch.Quota{}
	}
	return q
}

// first returns the first element of a list.
func first(value string) string {
	value, _, _ = strings.Cut(value, ",")
	value, _, _ = strings.Cut(value, ";")
	return strings.TrimSpace(value)
}

// resetOf parses seconds. It returns 0 if value is anything else. QUIRK: GitHub and others send a time in seconds since 1970, and some in milliseconds.
func resetOf(value string) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || n < 0 || n > 1e15:
		return 0
	case n > 1e12:
		n /= 1000
		fallthrough
	case n > 1e9:
		return time.Until(time.Unix(int64(n), 0))
	}
	return time.Duration(n * float64(time.Second))
}
