package cache

import (
	"strings"
	"time"
)

// parseDate parses an HTTP-date, strictly: in its three forms and in no other, though in any case. RFC 9110 section 5.6.7. What net/http accepts
// besides (an hour of one digit, several spaces, any zone in the form of RFC 850) is invalid, and freshness that is invalid must not be believed
// (RFC 9111 section 5.3). now tells which century a year of two digits is in.
func parseDate(s string, now time.Time) (t time.Time, ok bool) {
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		t, err := time.Parse(layout, foldZone(s))
		if err != nil || !strings.EqualFold(afterDay(t.Format(layout)), afterDay(s)) {
			continue
		}
		if strings.Contains(layout, "-06 ") {
			t = inCentury(t, now)
		}
		return t, true
	}
	return t, false
}

// afterDay returns s without the name of the day, which servers get wrong.
func afterDay(s string) string {
	_, rest, _ := strings.Cut(s, " ")
	return rest
}

// foldZone writes the zone as the layouts have it.
func foldZone(s string) string {
	if n := len(s) - len("GMT"); n >= 0 && strings.EqualFold(s[n:], "GMT") {
		return s[:n] + "GMT"
	}
	return s
}

// inCentury places t, which time.Parse has put between 1969 and 2068: a date that seems to be more than 50 years in the future is the last one
// with those digits.
func inCentury(t, now time.Time) time.Time {
	year := now.Year()/100*100 + t.Year()%100
	if d := t.AddDate(year-t.Year(), 0, 0); !d.After(now.AddDate(50, 0, 0)) {
		return d
	}
	return t.AddDate(year-100-t.Year(), 0, 0)
}
