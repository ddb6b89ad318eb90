package jar

import (
	"strings"
	"time"
)

// ParseDate parses a date as RFC 6265 section 5.1.1 does: by its parts, in nearly any order and punctuation. It accepts the three formats
// of HTTP and their variants from servers and users. Zones are ignored: every date is in UTC.
func ParseDate(s string) (t time.Time, ok bool) {
	var clock [3]int
	var day, year int
	var month time.Month
	var hasClock, hasDay, hasYear bool
	for token := range strings.FieldsFuncSeq(s, isDateDelimiter) {
		if c, ok := clockOf(token); ok && !hasClock {
			clock, hasClock = c, true
		} else if n, digits := leadingNumber(token, 4); !hasDay && (digits == 1 || digits == 2) {
			day, hasDay = n, true
		} else if m := monthOf(token); month == 0 && m > 0 {
			month = m
		} else if !hasYear && digits >= 2 {
			year, hasYear = n, true
			switch { // by the value alone, however many digits it has
			case n < 70:
				year += 2000
			case n < 100:
				year += 1900
			}
		}
	}
	if !hasClock || !hasDay || month == 0 || !hasYear || year < 1601 || clock[0] > 23 || clock[1] > 59 || clock[2] > 59 {
		return t, false
	}
	t = time.Date(year, month, day, clock[0], clock[1], clock[2], 0, time.UTC)
	return t, t.Day() == day && t.Month() == month // time.Date turns a day that does not exist into another
}

func isDateDelimiter(c rune) bool {
	return c == '\t' || ' ' <= c && c <= '/' || ';' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// leadingNumber parses the digits at the beginning of s. digits is 0 if there are none or more than most.
func leadingNumber(s string, most int) (n, digits int) {
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		if digits == most {
			return 0, 0
		}
		n = n*10 + int(s[digits]-'0')
		digits++
	}
	return n, digits
}

// clockOf parses H:M:S, each of one or two digits. It ignores what follows the third number.
func clockOf(s string) (clock [3]int, ok bool) {
	for i := range clock {
		n, digits := leadingNumber(s, 2)
		if digits == 0 {
			return clock, false
		}
		if clock[i], s = n, s[digits:]; i < 2 {
			if s, ok = strings.CutPrefix(s, ":"); !ok {
				return clock, false
			}
		}
	}
	return clock, true
}

// monthOf returns the month at the beginning of s, 0 if there is none.
func monthOf(s string) time.Month {
	if len(s) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(s[:3], m.String()[:3]) {
			return m
		}
	}
	return 0
}
