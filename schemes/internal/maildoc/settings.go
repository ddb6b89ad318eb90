package maildoc

import (
	"strconv"
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

// ParseCount parses a setting that is a number from 1 on. It returns 0 if s is empty.
func ParseCount(key, s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return 0, fetch.BadSetting(key, "%s is not a number from 1 on: %q", key, s)
	}
	return int(n), nil
}

// ParsePart is ParseCount for the number of a part of a message.
func ParsePart(key, s string) (int, error) {
	n, err := ParseCount(key, s)
	if err != nil {
		err = fetch.BadSetting(key, "parts of a message are numbered from 1, not %q", s)
	}
	return n, err
}

// Valid returns the check of a setting by the function that parses it.
func Valid[T any](key string, parse func(key, value string) (T, error)) func(string) error {
	return func(value string) error {
		_, err := parse(key, value)
		return err
	}
}
