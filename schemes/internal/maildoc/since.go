package maildoc

import (
	"time"

	"example.org/deref/fetch"
)

// ParseSince parses a setting that selects messages by their age: a date, or a date with a time. A date without a time means the beginning
// of that day in UTC. The time is zero if s is empty.
func ParseSince(key, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04:05", "Mon, 02 Jan 2006 15:04:05 GMT", time.RFC1123Z} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fetch.BadSetting(key, "%s is not a date: %q", key, s)
}

// ValidSince returns the check of such a setting.
func ValidSince(key string) func(string) error {
	return func(s string) error {
		_, err := ParseSince(key, s)
		return err
	}
}
