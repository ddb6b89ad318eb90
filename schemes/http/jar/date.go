package jar

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"

// ParseDate parses a date as RFC 6265 section 5.1.1 does: by its parts, in nearly any order and punctuation. It accepts the three formats
// of HTTP and their variants from servers and users. Zones are ignored: every date is in UTC.
func ParseDate(s string) (t time.Time, ok bool) {
	var forms [4]*regexp.Regexp
	for i, form := range [...]string{`^(\d\d?):(\d\d?):(\d\d?)(?:\D|$)`, `^(\d\d?)(?:\D|$)`, "^(" + months + ")", `^(\d{2,4})(?:\D|$)`} {
		forms[i] = regexp.MustCompile(form)
	}
	var found [len(forms)][]string // the first token of each form
	for token := range strings.FieldsFuncSeq(strings.ToLower(s), isDateDelimiter) {
		for i, form := range forms {
			if found[i] == nil {
				if found[i] = form.FindStringSubmatch(token); found[i] != nil {
					break
				}
			}
		}
	}
	var n []int
	for _, parts := range found {
		if parts == nil {
			return t, false
		}
		for _, part := range parts[1:] {
			number, err := strconv.Atoi(part)
			if err != nil {
				number = strings.Index(months, part)/len("jan|") + 1
			}
			n = append(n, number)
		}
	}
	day, month, year := n[3], time.Month(n[4]), n[5]
	switch { // by the value alone, however many digits it has
	case year < 70:
		year += 2000
	case year < 100:
		year += 1900
	}
	if year < 1601 || n[0] > 23 || n[1] > 59 || n[2] > 59 {
		return t, false
	}
	t = time.Date(year, month, day, n[0], n[1], n[2], 0, time.UTC)
	return t, t.Day() == day && t.Month() == month // time.Date turns a day that does not exist into another
}

func isDateDelimiter(c rune) bool {
	return c == '\t' || ' ' <= c && c <= '/' || ';' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
