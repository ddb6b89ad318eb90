package cache

import (
	"strings"
	"time"
)

// parseDate parses an HTTP-date in its three formats, ignoring case. RFC 9110 section 5.6.7. It refuses other forms that net/http accepts
// (an hour of one digit, several spaces, any zone in the format of RFC 850), because a response with an invalid date must be treated as
// stale (RFC 9111 section 5.3). now determines the century of a year with two digits.
func parseDate(s string, now time.Time) (t time.Time, ok bool) {
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		t, err := time.Parse(layout, strings.ToUpper(s))
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

// inCentury corrects the century of t, which time.Parse assumes to be from 1969 to 2068: a date that seems to be more than 50 years in the
// future is the most recent one with those digits.
func inCentury(t, now time.Time) time.Time {
	year := now.Year()/100*100 + t.Year()%100
	if d := t.AddDate(year-t.Year(), 0, 0); !d.After(now.AddDate(50, 0, 0)) {
		return d
	}
	return t.AddDate(year-100-t.Year(), 0, 0)
}
